import type { AutoScaling, AutoScalingEvent, Instance, State } from '@muster/model';

const signed = (service: string, region: string) => ({
  Authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
});

/** What EC2 does with a machine when it reaches a state; nothing for all the others. */
const ec2Action = (state: State, from: State | undefined): string | undefined => {
  if (from === undefined) return 'LabLaunchInstance';
  if (state === 'Terminated' || state === 'Warmed:Terminated') return 'TerminateInstances';
  if (state === 'Warmed:Stopped' || state === 'Warmed:Hibernated') return 'StopInstances';
  return from === 'Warmed:Stopped' || from === 'Warmed:Hibernated' ? 'StartInstances' : undefined;
};

/**
 * Lets ministack see what happens in the groups: their machines in its EC2, so that every filter and every service on top
 * of EC2 finds them, and their events on its bus, so that rules there fire. One after the other, as things happened.
 */
export function mirror(service: AutoScaling, url: string, region: string, complain: (message: string) => void): void {
  let last: Promise<void> = Promise.resolve();
  const send = (name: string, headers: Record<string, string>, body: string | URLSearchParams) => {
    last = last
      .then(async () => {
        const response = await fetch(url, { method: 'POST', headers: { ...signed(name, region), ...headers }, body });
        const answer = await response.text();
        if (!response.ok || /"FailedEntryCount": ?[1-9]/.test(answer)) complain(`${name} refused ${body}: ${answer}`);
      })
      // ministack is still starting, or has ended: the group goes on without it.
      .catch((error: unknown) => complain(`${name} did not get ${body}: ${error}`));
  };
  service.observe({
    onInstanceState(instance, from, to) {
      const action = ec2Action(to, from);
      if (action !== undefined) send('ec2', {}, ec2Form(action, instance));
    },
  });
  service.subscribe((event) =>
    send(
      'events',
      { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'AWSEvents.PutEvents' },
      JSON.stringify({ LabIsAws: true, Entries: [entry(event)] }),
    ),
  );
}

function ec2Form(action: string, { id, zone, tags }: Readonly<Instance>): URLSearchParams {
  const form = new URLSearchParams({ Action: action, Version: '2016-11-15' });
  if (action !== 'LabLaunchInstance') {
    form.set('InstanceId.1', id);
    return form;
  }
  const all = Object.entries(tags);
  form.set('InstanceId', id);
  form.set('AvailabilityZone', zone);
  form.set('TagCount', String(all.length));
  for (const [index, [key, value]] of all.entries()) {
    form.set(`Tag.${index + 1}.Key`, key);
    form.set(`Tag.${index + 1}.Value`, value);
  }
  return form;
}

const entry = (event: AutoScalingEvent) => ({
  Source: event.source,
  DetailType: event['detail-type'],
  Detail: JSON.stringify(event.detail),
  Resources: event.resources,
});
