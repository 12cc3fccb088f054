import { describe, expect, test } from 'vitest';
import { directDriver, rules, Scene } from './rules.ts';

describe('the table of rules', () => {
  test('has a row for every documented transition and refusal', () => {
    expect(rules.length).toBeGreaterThanOrEqual(120);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  test('names the page of each row, who recorded it on AWS, or that it is a choice of ours', () => {
    const pages =
      /^(choice|https:\/\/(docs\.aws\.amazon\.com\/(autoscaling|eventbridge)|repost\.aws|github\.com\/radkawar\/stackd)\S*)$/;
    for (const { id, page } of rules) expect(page, id).toMatch(pages);
  });
});

describe('the model itself', () => {
  test.each(rules)('$id: $says', async ({ run }) => {
    await run(new Scene(directDriver()));
  });
});
