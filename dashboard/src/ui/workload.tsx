import type { Schemas } from '../api/service.js';

type Name = Schemas['WorkloadName'];

/** "Deployment default/web" */
export const workloadText = ({ kind, namespace, name }: Name): string => `${kind} ${namespace}/${name}`;

export function Workload({ of: { kind, namespace, name } }: { readonly of: Name }) {
  return (
    <>
      {kind}{' '}
      <bdi>
        {namespace}/{name}
      </bdi>
    </>
  );
}

const SHOWN = 4;

/** The workloads of some pods, with the number of these; of many, the others on request. */
export function Workloads({
  of,
}: {
  readonly of: readonly { readonly workload: Name; readonly count?: number | undefined }[];
}) {
  const one = ({ workload, count = 1 }: (typeof of)[number], isLast: boolean) => (
    <span key={workloadText(workload)} className="name">
      <Workload of={workload} />
      {count > 1 && ` ×${count}`}
      {!isLast && ', '}
    </span>
  );
  const first = of.slice(0, SHOWN);
  const others = of.slice(SHOWN);
  return (
    <>
      {first.map((each, at) => one(each, at === first.length - 1))}
      {others.length > 0 && (
        <details className="more">
          <summary>{others.length} more</summary>
          {others.map((each, at) => one(each, at === others.length - 1))}
        </details>
      )}
    </>
  );
}
