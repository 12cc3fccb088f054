/** A number in [0, 1). */
export type Random = () => number;

/** sfc32: small, fast, 128 bits of state, so that ids made from it do not collide within a simulated year. */
export function seeded(seed: number): Random {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162 ^ Math.floor(seed / 2 ** 32);
  let d = seed | 0;
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

export const between = (random: Random, low: number, high: number) => low + random() * (high - low);

export const chance = (random: Random, probability: number) => probability > 0 && random() < probability;

export function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random() * from.length)];
}

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Ids are made by the hundred thousand, so eight digits come from one draw. */
export function hex(random: Random, digits: number): string {
  let text = '';
  while (text.length < digits) {
    const bits = Math.floor(random() * 2 ** 32);
    text += `${pairs[bits >>> 24]}${pairs[(bits >>> 16) & 255]}${pairs[(bits >>> 8) & 255]}${pairs[bits & 255]}`;
  }
  return text.slice(0, digits);
}

export function uuid(random: Random): string {
  const digits = hex(random, 30);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}-${digits.slice(18, 30)}`;
}
