import { conditionOfTaint } from '../kubernetes/condition-taints.js';
import { UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import type { TaintChange } from './lifecycle-timeline.js';
import { zoneName } from './zone-key.js';

/**
 * Why a node's taints change, as a sentence; `zone` is the key of its zone, `ratePerSecond` the rate of its queue at
 * that time.
 */
export function explainTaintChange(change: TaintChange, zone: string, ratePerSecond: number): string {
  switch (change.cause) {
    case 'conditions':
      return `${conditionText(change)}.`;
    case 'turn':
      return `The node reached the head of the queue of ${zoneText(zone)}, which processes one node every ${intervalText(ratePerSecond)}.`;
    case 'swap':
      return 'Ready has changed between False and Unknown: the NoExecute taint is replaced on the next pass, without queueing.';
    case 'ready':
      return 'Ready is True: the NoExecute taint is removed on the next pass.';
    case 'allZonesDown':
      return 'No node of the cluster is ready: the controller removes its NoExecute taints and sets none until a node is ready.';
    case 'registered':
      return 'The controller observes the node for the first time and removes its own NoExecute taints.';
    case 'written':
      return 'Another client wrote the list of taints.';
  }
}

function conditionText({ added, removed }: TaintChange): string {
  const called = added.map(({ key }) => stateText(key, ''));
  const over = removed.map(({ key }) => stateText(key, 'no longer '));
  return [...called, ...over].join(', ');
}

function stateText(key: string, still: string): string {
  if (key === UNSCHEDULABLE_TAINT.key) return `the node is ${still}cordoned`;
  const condition = conditionOfTaint(key);
  return condition === undefined ? key : `${condition.type} is ${still}${condition.status}`;
}

const zoneText = (zone: string): string => (zone === '' ? 'the nodes without a zone' : `zone ${zoneName(zone)}`);

const intervalText = (rate: number): string => {
  const seconds = rate === 0 ? 0 : Math.round(100 / rate) / 100;
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
};
