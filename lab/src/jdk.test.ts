import { expect, test } from 'vitest';
import { chooseJdk, findJdk, majorVersion } from './jdk.ts';

test('the version is read from the release file', () => {
  expect(majorVersion('IMPLEMENTOR="Eclipse Adoptium"\nJAVA_VERSION="25.0.3"\nJAVA_VERSION_DATE="2026-04-21"\n')).toBe(
    25,
  );
  expect(majorVersion('JAVA_VERSION="21"\n')).toBe(21);
  expect(majorVersion('')).toBeUndefined();
});

test.each([
  { installed: [17, 25, 26], chosen: 25 },
  { installed: [17, 21, 24], chosen: 24 },
  { installed: [17], chosen: undefined },
])('of $installed it takes $chosen', ({ installed, chosen }) => {
  expect(chooseJdk(installed.map((major) => ({ folder: `/jvm/${major}`, major })))?.major).toBe(chosen);
});

test('no JDK: the problem says what to install', async () => {
  await expect(findJdk({}, '/nowhere')).rejects.toMatchObject({
    code: 'LAB_NO_JDK',
    next: expect.stringContaining('temurin-25-jdk'),
  });
});
