/** How often each operation of each service was asked for: what a test means by "no request was made". */
export class RequestCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(service: string, operation: string): void {
    const operations = this.#counts.get(service) ?? new Map<string, number>();
    this.#counts.set(service, operations.set(operation, (operations.get(operation) ?? 0) + 1));
  }

  /** Of one operation, of one service, or of all. */
  count(service?: string, operation?: string): number {
    let sum = 0;
    for (const [name, operations] of this.#counts) {
      if (service !== undefined && name !== service) continue;
      for (const [of, count] of operations) if (operation === undefined || of === operation) sum += count;
    }
    return sum;
  }

  clear(): void {
    this.#counts.clear();
  }

  toJSON(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.#counts].map(([name, operations]) => [name, Object.fromEntries(operations)]));
  }
}
