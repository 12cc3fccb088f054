/** What a script can tell apart. The reference page is generated from this table. */
export const exitCodes = {
  ok: [0, 'done; for `cluster health`: green'],
  unexpected: [1, 'a fault of the command itself: please report it'],
  usage: [2, 'the command line is wrong'],
  unreachable: [3, 'no answer from the engine: not reachable, or not within the time limit'],
  denied: [4, 'not allowed: password refused, or the user lacks the privilege'],
  notFound: [5, 'no such index, node, repository or path'],
  rejected: [6, 'the engine refused the call as wrong'],
  busy: [7, 'the engine is overloaded or has no master: repeating may help'],
  yellow: [8, '`cluster health`: yellow'],
  red: [9, '`cluster health`: red'],
  malformed: [10, 'the answer is not what the engine sends'],
  noCredentials: [11, 'the agent facts or the secrets store could not be read'],
  blocked: [12, '`decommission-node`: a guard says that this node may not leave now'],
  stalled: [13, '`decommission-node`: a shard has nowhere to go'],
  outOfTime: [14, 'the time to wait is over'],
  interrupted: [15, 'stopped by a signal, or the hook was taken away'],
  aws: [16, 'AWS refused a call or did not answer'],
} as const;

export type Exit = keyof typeof exitCodes;
