import { type LeftOutKind, leftOutText } from '../kube-api/cluster-lists.js';

/** So many kinds are told one by one. */
const FEW = 3;

/** Kinds that the user may not list, and the rules that a ClusterRole lacks. */
export function unreadLines(denied: readonly LeftOutKind[]): readonly string[] {
  const [first] = denied;
  if (first === undefined || denied.length <= FEW) return denied.map(leftOutText);
  const byGroup = new Map<string, string[]>();
  for (const { kind } of denied) byGroup.set(kind.group, [...(byGroup.get(kind.group) ?? []), kind.plural]);
  const rules = [...byGroup].map(([group, resources]) => ({ apiGroups: [group], resources, verbs: ['list'] }));
  return [
    denied.map(({ kind }) => kind.kind).join(', '),
    `  for example: ${first.why}`,
    '  missing in a ClusterRole:',
    ...rules.map((rule) => `    ${JSON.stringify(rule)}`),
  ];
}
