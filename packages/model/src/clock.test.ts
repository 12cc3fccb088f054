import { expect, test } from 'vitest';
import { VirtualClock } from './clock.ts';
import { seeded } from './random.ts';

function ringing(delays: readonly number[]): { clock: VirtualClock; rung: number[] } {
  const clock = new VirtualClock(0);
  const rung: number[] = [];
  for (const [index, delay] of delays.entries()) clock.after(delay, () => rung.push(index));
  return { clock, rung };
}

test('what is due first runs first, and at one instant in the order it was asked for', () => {
  const { clock, rung } = ringing([5, 3, 5, 0, 3]);
  clock.advance(10);
  expect(rung).toEqual([3, 1, 4, 0, 2]);
});

test('time stands where something is due while it runs, and where it was moved to afterwards', () => {
  const clock = new VirtualClock(100);
  const seen: number[] = [];
  clock.after(2.5, () => {
    seen.push(clock.now());
    clock.after(1, () => seen.push(clock.now()));
  });
  clock.advance(10);
  expect(seen).toEqual([102.5, 103.5]);
  expect(clock.now()).toBe(110);
});

test('what was cancelled never runs', () => {
  const clock = new VirtualClock(0);
  let ran = false;
  const timer = clock.after(1, () => {
    ran = true;
  });
  timer.cancel();
  expect(clock.nextDue()).toBeUndefined();
  expect(clock.step()).toBe(false);
  expect(ran).toBe(false);
});

test('nothing beyond the instant asked for runs, and a clock does not go back', () => {
  const { clock, rung } = ringing([1, 3]);
  clock.advanceTo(2);
  clock.advanceTo(1);
  expect(rung).toEqual([0]);
  expect(clock.now()).toBe(2);
  expect(clock.nextDue()).toBe(3);
});

test('ten thousand delays come out sorted', () => {
  const random = seeded(7);
  const delays = Array.from({ length: 10_000 }, () => Math.floor(random() * 1000));
  const { clock, rung } = ringing(delays);
  while (clock.step());
  expect(rung.map((index) => delays[index])).toEqual(delays.toSorted((a, b) => a - b));
});

test('the same seed draws the same numbers, another seed others', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, seeded(seed));
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});
