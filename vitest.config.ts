import { defineConfig } from 'vitest/config';

// A test's file name says what it runs on; docs/conformance.md repeats it. Only `unit` runs without any server.
const onRealParts = ['wire', 'engine', 'group', 'aws'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,lab,scripts}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...onRealParts.map((part) => `**/*.${part}.test.ts`)],
        },
      },
      // Loopback servers of the tests' own, speaking the wire format: cheap, but doubles.
      { test: { name: 'wire', include: ['{packages,lab}/**/*.wire.test.ts'], testTimeout: 120_000 } },
      {
        test: {
          name: 'engine',
          // `group`: the real engine, and the model of the autoscaling group on the wire.
          include: ['{packages,lab}/**/*.{engine,group}.test.ts'],
          // Some of these also sign in through AWS, or leave an autoscaling group.
          globalSetup: ['lab/src/engine-for-tests.ts', 'lab/src/aws-for-tests.ts'],
          // One real cluster serves all of these, and some of them change it.
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'aws',
          include: ['{packages,lab}/**/*.aws.test.ts'],
          globalSetup: 'lab/src/aws-for-tests.ts',
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
    ],
  },
});
