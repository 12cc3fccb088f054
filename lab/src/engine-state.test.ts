import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decideState, readState, writeState } from './engine-state.ts';

const existing = { version: '9.4.3', nodeCount: 3, clusterUuid: 'u' } as const;

describe('what `up` makes of a wish and of the data that is there', () => {
  test.each([
    { has: undefined, wish: {}, gets: { version: '9.4.3', nodeCount: 3 } },
    { has: undefined, wish: { version: '8.19.8', nodeCount: 6 }, gets: { version: '8.19.8', nodeCount: 6 } },
    { has: existing, wish: {}, gets: existing },
    { has: existing, wish: { version: '9.4.3', nodeCount: 3 }, gets: existing },
    { has: { ...existing, version: '8.19.8' }, wish: {}, gets: { ...existing, version: '8.19.8' } },
    { has: existing, wish: { nodeCount: 6 }, gets: { ...existing, nodeCount: 6 } },
  ] as const)('$has and $wish give $gets', ({ has, wish, gets }) => {
    expect(decideState(has, wish)).toEqual(gets);
  });

  test('another version on existing data is refused, and the way out is named', () => {
    expect(() => decideState(existing, { version: '8.19.8' })).toThrow(
      expect.objectContaining({ code: 'LAB_VERSION_DIFFERS', next: expect.stringContaining('--wipe') }),
    );
  });

  test('fewer nodes on existing data are refused', () => {
    expect(() => decideState(existing, { nodeCount: 1 })).toThrow(
      expect.objectContaining({ code: 'LAB_NODES_DIFFER' }),
    );
  });
});

describe('the state file', () => {
  async function stateFile(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'muster-state-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return join(folder, 'state.json');
  }

  test('gives back what was written', async () => {
    const file = await stateFile();
    expect(await readState(file)).toBeUndefined();
    await writeState(file, existing);
    expect(await readState(file)).toEqual(existing);
  });

  test.each(['', '{"version":"7.0.0","nodeCount":3}', '{"version":"9.4.3"}'])('%j is refused', async (text) => {
    const file = await stateFile();
    await writeFile(file, text);
    await expect(readState(file)).rejects.toMatchObject({ code: 'LAB_STATE_UNREADABLE' });
  });
});
