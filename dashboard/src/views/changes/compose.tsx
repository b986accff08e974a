import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useId, useMemo, useState } from 'react';
import { useAccess, useWhyNot, useWhyNotApply } from '../../api/access.js';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Failure } from '../../ui/failure.js';
import { GuardedButton } from '../../ui/guarded-button.js';
import { ApplyOptions } from './apply-options.js';
import { editOf, EMPTY, lacksOf, fitsAddress, readDraft, shortDraft, type Draft } from './draft.js';
import { Effects, Landing } from './effects.js';
import { Guardrails } from './guardrails.js';
import { NodesTable } from './nodes-table.js';
import { nodeMatrixOf, nodeSets, previewOf, type Outcome } from './queries.js';
import { namesInSet, TargetsField } from './targets.js';

/** Writes a change, shows what it would do, and makes it. */
export function Compose({ cluster }: { readonly cluster: string }) {
  const { draft: given }: { readonly draft?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  // Of a plan that is too long for the address.
  const [long, setLong] = useState<Draft>();
  const shown = useMemo(() => long ?? readDraft(given), [long, given]);
  // A link may choose the nodes, and leave open what is done to them.
  const previewed = shown !== undefined && lacksOf(shown).length === 0 ? shown : undefined;
  const [draft, setDraft] = useState<Draft>(shown ?? EMPTY);
  const change = (more: Partial<Draft>): void => setDraft((now) => ({ ...now, ...more }));
  const whyNot = useWhyNot(cluster);
  const lacks = lacksOf(draft);
  const isShown = previewed !== undefined && JSON.stringify(previewed) === JSON.stringify(draft);
  const show = (): void => {
    const fits = fitsAddress(draft);
    setLong(fits ? undefined : draft);
    void navigate({
      to: '.',
      search: (search) => ({ ...search, change: undefined, draft: fits ? shortDraft(draft) : undefined }),
    });
  };
  return (
    <>
      <section className="panel" aria-labelledby="compose">
        <h2 id="compose">Plan a change</h2>
        <form
          className="compose"
          onSubmit={(event) => {
            event.preventDefault();
            if (lacks.length === 0 && whyNot('evaluate').length === 0) show();
          }}
        >
          <TargetsField cluster={cluster} draft={draft} change={change} />
          <EditFields draft={draft} change={change} />
          <div className="actions">
            <GuardedButton primary whyNot={[...whyNot('evaluate'), ...lacks]} onClick={show}>
              Preview
            </GuardedButton>
            {long !== undefined && (
              <span className="quiet">So many names do not fit the address: a link does not show this plan.</span>
            )}
            {previewed !== undefined && !isShown && (
              <span role="status" className="quiet">
                The preview below is of the change as it was before.
              </span>
            )}
          </div>
        </form>
      </section>
      {previewed !== undefined && <Previewed cluster={cluster} draft={previewed} isShown={isShown} />}
    </>
  );
}

export function EditFields({
  draft,
  change,
}: {
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
}) {
  const id = useId();
  return (
    <fieldset>
      <legend>Change</legend>
      <label className="wide">
        Taints, as kubectl taint takes them
        <textarea
          className="code"
          rows={2}
          value={draft.taints}
          placeholder={'maintenance=true:NoExecute\nold-key:NoSchedule-'}
          onChange={({ target }) => change({ taints: target.value })}
        />
      </label>
      <label className="wide">
        Labels, as kubectl label takes them
        <input
          className="mono"
          value={draft.labels}
          placeholder="pool=batch old-label-"
          onChange={({ target }) => change({ labels: target.value })}
        />
      </label>
      <div className="choices">
        <label htmlFor={id}>
          Scheduling{' '}
          <select
            id={id}
            value={draft.cordon}
            onChange={({ target }) => change({ cordon: target.value as Draft['cordon'] })}
          >
            <option value="">as it is</option>
            <option value="cordon">cordon</option>
            <option value="uncordon">uncordon</option>
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={draft.overwrite}
            onChange={({ target }) => change({ overwrite: target.checked })}
          />{' '}
          --overwrite
        </label>
        <label>
          <input
            type="checkbox"
            checked={draft.perNode}
            onChange={({ target }) => change({ perNode: target.checked })}
          />{' '}
          skip nodes that refuse it
        </label>
      </div>
    </fieldset>
  );
}

function Previewed({
  cluster,
  draft,
  isShown,
}: {
  readonly cluster: string;
  readonly draft: Draft;
  readonly isShown: boolean;
}) {
  const needsNames = draft.by === 'set';
  const matrix = useQuery({ ...nodeMatrixOf(cluster), enabled: needsNames });
  const inSet = useMemo(
    () => (matrix.data === undefined ? [] : namesInSet(nodeSets(matrix.data), draft.set)),
    [matrix.data, draft.set],
  );
  const isReady = !needsNames || matrix.data !== undefined;
  const edit = useMemo(() => editOf(draft, inSet), [draft, inSet]);
  const request = { ...edit, ...(draft.perNode && { perNode: true }) };
  const preview = useQuery(previewOf(cluster, isReady ? request : undefined));
  return (
    <section className="panel" aria-labelledby="preview" aria-live="polite">
      <h2 id="preview">Preview</h2>
      <Answer of={preview} what="what the change would do">
        {(outcome) => (
          <>
            <OutcomeSummary outcome={outcome} />
            <h3>Guardrails</h3>
            <Guardrails results={outcome.guardrails} />
            <MakeChange cluster={cluster} request={request} outcome={outcome} isShown={isShown} />
            <Effects effects={outcome.effects} />
            {outcome.effects.evictions.counts.now + outcome.effects.evictions.counts.after > 0 && (
              <>
                <Landing cluster={cluster} edit={edit} />
                {fitsAddress(draft) && (
                  <p>
                    <Link
                      to="/clusters/$cluster/$view"
                      params={{ cluster, view: 'evictions' }}
                      search={{ draft: shortDraft(draft), landing: true }}
                    >
                      These evictions over time, pod by pod
                    </Link>
                  </p>
                )}
              </>
            )}
            <h3>Nodes</h3>
            <NodesTable nodes={outcome.nodes} omitted={outcome.nodesOmitted} made={false} />
            <Commands kubectl={outcome.kubectl} />
          </>
        )}
      </Answer>
    </section>
  );
}

export function Commands({ kubectl }: { readonly kubectl: readonly string[] }) {
  if (kubectl.length === 0) return null;
  const text = kubectl.join('\n');
  return (
    <details>
      <summary>The same with kubectl</summary>
      <CopyButton text={text} what="the commands" />
      <pre className="commands" tabIndex={0}>
        <bdi>{text}</bdi>
      </pre>
    </details>
  );
}

export function OutcomeSummary({ outcome }: { readonly outcome: Outcome }) {
  const counts = { changed: 0, unchanged: 0, refused: 0 };
  for (const { outcome: of } of outcome.nodes) counts[of] += 1;
  return (
    <p>
      {outcome.nodesOmitted > 0 && `Of the first ${outcome.nodes.length} nodes: `}
      {counts.changed} {counts.changed === 1 ? 'node changes' : 'nodes change'}, {counts.unchanged} as before,{' '}
      {counts.refused} refuse it. On revision {outcome.basis.revision}.
    </p>
  );
}

/** A key with which a repeated request is executed once. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join('-');

function MakeChange({
  cluster,
  request,
  outcome,
  isShown,
}: {
  readonly cluster: string;
  readonly request: Schemas['TaintChangeRequest'];
  readonly outcome: Outcome;
  readonly isShown: boolean;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const whyNot = useWhyNot(cluster);
  const access = useAccess(cluster).data;
  const missingForApply = useWhyNotApply(cluster);
  const [reason, setReason] = useState('');
  const [link, setLink] = useState('');
  const [onBehalfOf, setOnBehalfOf] = useState('');
  const [hours, setHours] = useState('');
  const [strict, setStrict] = useState(false);
  const [options, setOptions] = useState<Schemas['ApplyOptionsRequest']>({});
  const [key] = useState(newKey);
  const make = useMutation({
    mutationFn: (how: { readonly apply: boolean; readonly dryRun: boolean }) =>
      service.post('/api/v1/clusters/{cluster}/taint-changes', {
        path: { cluster },
        ...(!how.dryRun && {
          idempotencyKey: `${key}-${String(how.apply)}`,
          headers: strict ? { 'If-Match': `"${outcome.basis.revision}"` } : {},
        }),
        body: {
          ...request,
          reason,
          ...(link !== '' && { link }),
          ...(onBehalfOf !== '' && { onBehalfOf }),
          ...(hours !== '' && { expiresAt: new Date(Date.now() + Number(hours) * 3_600_000).toISOString() }),
          ...(how.apply && { apply: true, applyOptions: options }),
          ...(how.dryRun && { dryRun: true }),
        },
      }),
    onSuccess: ({ change }) => {
      if (change === null) return;
      void client.invalidateQueries({ queryKey: clusterKey(cluster) });
      void navigate({ to: '.', search: (search) => ({ ...search, draft: undefined, change: change.id }) });
    },
  });
  const changesNothing = !outcome.nodes.some(({ outcome: of }) => of === 'changed') && outcome.nodesOmitted === 0;
  const refused = outcome.guardrails.filter(({ outcome: of }) => of === 'refused');
  const asks = outcome.guardrails.some(({ outcome: of }) => of === 'approvalNeeded');
  const open = [
    ...whyNot('change'),
    ...(isShown ? [] : ['Preview it first.']),
    ...(changesNothing ? ['It changes no node.'] : []),
    ...refused.map(
      ({ rule, message }) => `The guardrail “${rule}” refuses it${message === null ? '' : `: ${message}`}.`,
    ),
  ];
  const withReason = reason.trim() === '' ? ['Give a reason.'] : [];
  return (
    <div className="make">
      <h3>Make it</h3>
      <div className="fields">
        <label className="wide">
          Reason
          <input
            value={reason}
            placeholder="Kernel update, see OPS-17"
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
        <label>
          Link
          <input type="url" value={link} placeholder="https://" onChange={({ target }) => setLink(target.value)} />
        </label>
        <label>
          Revert by itself after hours
          <input type="number" min={0} step="any" value={hours} onChange={({ target }) => setHours(target.value)} />
        </label>
        <label>
          On behalf of
          <input
            value={onBehalfOf}
            disabled={access?.onBehalfOf === false}
            title={access?.onBehalfOf === false ? 'You may not name another person.' : undefined}
            onChange={({ target }) => setOnBehalfOf(target.value)}
          />
        </label>
        <label className="check">
          <input type="checkbox" checked={strict} onChange={({ target }) => setStrict(target.checked)} />
          Only if nothing has changed since revision {outcome.basis.revision}
        </label>
      </div>
      <details>
        <summary>How it is applied</summary>
        <ApplyOptions options={options} onChange={setOptions} />
      </details>
      <div className="actions">
        <GuardedButton
          primary
          whyNot={make.isPending ? ['…'] : [...open, ...withReason]}
          onClick={() => make.mutate({ apply: false, dryRun: false })}
        >
          {asks ? 'Ask for approval' : 'Record the intent'}
        </GuardedButton>
        <GuardedButton
          whyNot={make.isPending ? ['…'] : [...open, ...withReason, ...missingForApply]}
          onClick={() => make.mutate({ apply: true, dryRun: false })}
        >
          {asks ? 'Ask for approval, then apply' : 'Record and apply to the cluster'}
        </GuardedButton>
        <GuardedButton
          whyNot={make.isPending ? ['…'] : [...open, ...missingForApply]}
          onClick={() => make.mutate({ apply: true, dryRun: true })}
        >
          Ask the API server (dry run)
        </GuardedButton>
      </div>
      {make.error !== null && <Failure error={make.error} />}
      {make.data?.dryRun === true && (
        <>
          <h3>What the API server says</h3>
          <NodesTable nodes={make.data.nodes} omitted={make.data.nodesOmitted} made={false} />
        </>
      )}
    </div>
  );
}
