import { mkdirSync } from 'node:fs';
import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EvidenceLog, type HookAction, HookSession, readHeartbeatTimeout } from '@muster/lifecycle';
import type { Identity } from '@muster/lifecycle/metadata';
import type { Terminal } from './terminal.ts';

// This file brings the AWS SDK with it: it is loaded only once the metadata says that there is something to do.

const requestHandler = { connectionTimeout: 3_000, requestTimeout: 10_000 };

export const autoScaling = (region: string): AutoScalingClient =>
  new AutoScalingClient({ region, maxAttempts: 2, requestHandler });

/** Where the decisions of this node are recorded: beside it, and where they outlive it. */
export function evidenceLog({ region, instanceId }: Identity, cluster: string, stateFolder: string): EvidenceLog {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  return new EvidenceLog({
    client: new CloudWatchLogsClient({ region, maxAttempts: 2, requestHandler }),
    logGroup: `/muster/${cluster}/decisions`,
    stream: instanceId,
    file: `${stateFolder}/decisions.jsonl`,
  });
}

/** Holds the hook from now on; says when that fails, and calls `gone` when there is nothing to hold any more. */
export async function holdHook(
  client: AutoScalingClient,
  action: HookAction,
  terminal: Terminal,
  gone: () => void,
): Promise<HookSession> {
  const heartbeatTimeoutMs = await readHeartbeatTimeout(client, action);
  let isTold = false;
  const session = new HookSession({
    client,
    action,
    heartbeatTimeoutMs,
    onEvent: (event) => {
      if (event.kind === 'gone') {
        terminal.warn(`hook ${action.hook} is gone: completed by somebody else, or its time was up`);
        gone();
      } else if (event.kind === 'held') {
        isTold = false;
      } else if (!isTold) {
        isTold = true;
        terminal.warn(`the heartbeat of hook ${action.hook} fails and is tried again: ${event.cause}`);
      }
    },
  });
  session.start();
  return session;
}
