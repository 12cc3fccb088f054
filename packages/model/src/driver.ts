import type { AccountOptions } from './account.ts';
import { AutoScaling, type Input, type Operation, type Output } from './api.ts';
import { VirtualClock } from './clock.ts';
import type { AutoScalingEvent } from './events.ts';
import type { Happening } from './outside.ts';

/** All that a rule needs of a group: the model itself has it, and a server that puts the model on the wire. */
export interface Driver {
  call<O extends Operation>(operation: O, input: Input<O>): Promise<Output<O>>;
  happen(happening: Happening): Promise<void>;
  advance(seconds: number): Promise<void>;
  /** Every event delivered so far. */
  events(): Promise<readonly AutoScalingEvent[]>;
}

export function directDriver(options: AccountOptions = {}): Driver {
  const clock = new VirtualClock();
  const service = new AutoScaling({ ...options, clock });
  const delivered: AutoScalingEvent[] = [];
  service.subscribe((event) => delivered.push(event));
  return {
    call: async (operation, input) => service.call(operation, input),
    happen: async (happening) => service.happen(happening),
    advance: async (seconds) => clock.advance(seconds),
    events: async () => delivered,
  };
}
