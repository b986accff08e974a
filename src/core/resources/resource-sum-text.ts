import type { Addend, ResourceSum, Together } from './resource-sum.js';

const ROLES = { container: 'container', sidecar: 'sidecar', init: 'init container' } as const;

/** A sum on one line: `500m (container a) + 1500m (container b) = 2; plus overhead 250m: 2250m`. */
export function resourceSumText(sum: ResourceSum): string {
  const { ofPod, overhead, overheadCounts, total } = sum;
  const ofContainers = containersText(sum);
  const steps: string[] = [];
  if (ofPod === undefined) steps.push(ofContainers ?? 'no container specifies it');
  else {
    const replaced = ofContainers === undefined ? 'which no container specifies' : `instead of ${ofContainers}`;
    steps.push(`${ofPod.toString()} (pod-level resources), ${replaced}`);
  }
  if (overhead !== undefined) {
    const text = overhead.toString();
    steps.push(
      overheadCounts
        ? `plus overhead ${text}: ${total.toString()}`
        : `overhead ${text} is not added to a limit of zero`,
    );
  }
  return steps.join('; ');
}

function containersText({ running, starting, decidedBy, ofContainers }: ResourceSum): string | undefined {
  if (ofContainers === undefined) return undefined;
  if (running === undefined || starting === undefined) return togetherText((running ?? starting)!);
  const onlySidecars = starting.addends.every(({ role }) => role === 'sidecar');
  if (decidedBy === 'running' && onlySidecars) return togetherText(running);
  return `the larger of ${togetherText(running)} and, during startup, ${togetherText(starting)}: ${ofContainers.toString()}`;
}

function togetherText({ addends, total }: Together): string {
  const terms = addends.map(addendText).join(' + ');
  return addends.length > 1 ? `${terms} = ${total.toString()}` : terms;
}

const addendText = ({ container, role, amount }: Addend): string =>
  `${amount.toString()} (${ROLES[role]} ${container})`;
