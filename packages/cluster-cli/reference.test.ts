import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referenceFile, renderReference } from './reference.ts';

test('the reference page says what the command is; `npm run reference` writes it', () => {
  expect(readFileSync(referenceFile, 'utf8')).toBe(renderReference());
});
