import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useCaller, useWhyNot, useWhyNotApply } from '../../api/access.js';
import { clusterKey } from '../../api/queries.js';
import { service, type Schemas } from '../../api/service.js';
import { Answer } from '../../ui/answer.js';
import { Badge } from '../../ui/badge.js';
import { Failure } from '../../ui/failure.js';
import { GuardedButton } from '../../ui/guarded-button.js';
import { Time } from '../../ui/time.js';
import { ApplyOptions } from './apply-options.js';
import { Commands, OutcomeSummary } from './compose.js';
import { draftOf, fitsAddress, shortDraft } from './draft.js';
import { Effects } from './effects.js';
import { Guardrails } from './guardrails.js';
import { NodesTable } from './nodes-table.js';
import { changeOf, revertPreviewOf, type Change, type Outcome } from './queries.js';
import { RuleChange } from './rule-change.js';
import { ApplicationBadge, AuthorsLink, changeText, StatusBadge } from './words.js';

interface About {
  readonly cluster: string;
  readonly change: Change;
}

/** One change: what became of it, and what can be done about it now. */
export function ChangeDetails({ cluster, id }: { readonly cluster: string; readonly id: string }) {
  const answer = useQuery(changeOf(cluster, id));
  return (
    <Answer of={answer} what="the change">
      {(outcome) => {
        const { change } = outcome;
        if (change === null) return <p>There is no such change.</p>;
        const isMade = change.revision !== null;
        return (
          <>
            <section className="panel" aria-labelledby="change">
              <Head cluster={cluster} change={change} />
              {change.approval !== null && <Approval cluster={cluster} change={change} approval={change.approval} />}
              {isMade && <Application cluster={cluster} change={change} />}
              {isMade && change.undoneBy === null && <Revert cluster={cluster} change={change} />}
            </section>
            <What outcome={outcome} change={change} />
            <section className="panel" aria-labelledby="change-effects">
              <h2 id="change-effects">{isMade ? 'What was expected of it' : 'What it would do'}</h2>
              <h3>Guardrails</h3>
              <Guardrails results={outcome.guardrails} />
              {outcome.deviceTaintRule === null ? (
                <Effects effects={outcome.effects} />
              ) : (
                <RuleChange of={outcome.deviceTaintRule} />
              )}
            </section>
          </>
        );
      }}
    </Answer>
  );
}

/** What it changes: nodes, or a DeviceTaintRule, of which kubectl is told the same. */
function What({ outcome, change }: { readonly outcome: Outcome; readonly change: Change }) {
  const isMade = change.revision !== null;
  const isOfRule = change.deviceTaintRule !== null;
  return (
    <section className="panel" aria-labelledby="change-nodes">
      <h2 id="change-nodes">{isOfRule ? 'The rule' : 'Node by node'}</h2>
      {isMade && <Statuses change={change} />}
      {!isMade && !isOfRule && <OutcomeSummary outcome={outcome} />}
      {!isOfRule && <NodesTable nodes={outcome.nodes} omitted={outcome.nodesOmitted} made={isMade} />}
      <Commands kubectl={outcome.kubectl} />
    </section>
  );
}

function Head({ cluster, change }: About) {
  return (
    <>
      <h2 id="change">
        <bdi>{changeText(change)}</bdi> <StatusBadge status={change.status} />
        {change.application !== null && (
          <>
            {' '}
            <ApplicationBadge state={change.application.state} />
          </>
        )}
      </h2>
      <Facts change={change} />
      <p className="actions no-print">
        <Link
          to="/clusters/$cluster/$view"
          params={{ cluster, view: 'changes' }}
          search={{ change: change.id, report: true }}
        >
          Report to print
        </Link>
        <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'trail' }} search={{ change: change.id }}>
          In the trail
        </Link>
        {change.deviceTaintRule === null && fitsAddress(draftOf(change.request)) && (
          <>
            <Link
              to="/clusters/$cluster/$view"
              params={{ cluster, view: 'evictions' }}
              search={{ draft: shortDraft(draftOf(change.request)) }}
            >
              Its evictions over time
            </Link>
            <Link
              to="/clusters/$cluster/$view"
              params={{ cluster, view: 'changes' }}
              search={{ draft: shortDraft(draftOf(change.request)) }}
            >
              Plan one like it
            </Link>
          </>
        )}
        {change.undoneBy !== null && (
          <Link
            to="/clusters/$cluster/$view"
            params={{ cluster, view: 'changes' }}
            search={{ change: change.undoneBy }}
          >
            Reverted by another change
          </Link>
        )}
        {change.undoes !== null && (
          <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'changes' }} search={{ change: change.undoes }}>
            The change that it reverts
          </Link>
        )}
      </p>
    </>
  );
}

/** Who, when, why. */
export function Facts({ change }: { readonly change: Change }) {
  const { by, onBehalfOf, madeAt, reason, link, expiresAt, expiry, action, revision, id } = change;
  return (
    <dl className="facts">
      <dt>{revision === null ? 'Asked by' : 'Made by'}</dt>
      <dd>
        <bdi>{by.name}</bdi> <span className="quiet">({by.kind})</span>
        {onBehalfOf !== null && (
          <>
            {' '}
            for <bdi>{onBehalfOf}</bdi>
          </>
        )}
        , <Time at={madeAt} />
        {action !== 'change' && <span className="quiet"> as {action === 'revert' ? 'a revert' : 'an expiry'}</span>}
      </dd>
      <dt>Reason</dt>
      <dd>
        <bdi>{reason}</bdi> <AuthorsLink link={link} />
      </dd>
      {revision !== null && (
        <>
          <dt>Revision</dt>
          <dd>{revision}</dd>
        </>
      )}
      {expiresAt !== null && (
        <>
          <dt>Reverts by itself</dt>
          <dd>
            <Time at={expiresAt} /> {expiry !== null && <Badge>{expiry}</Badge>}
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd className="mono">{id}</dd>
    </dl>
  );
}

export function Votes({ approval }: { readonly approval: Schemas['ChangeApproval'] }) {
  if (approval.votes.length === 0) return <p className="quiet">Nobody has said anything yet.</p>;
  return (
    <ul className="plain">
      {approval.votes.map(({ decision, by, reason, at, counts }) => (
        <li key={`${by.name} ${at}`}>
          <Badge kind={decision === 'approve' ? (counts ? 'good' : 'quiet') : 'bad'}>
            {decision === 'approve' ? (counts ? 'approved' : 'approved an earlier preview') : 'rejected'}
          </Badge>{' '}
          <bdi>{by.name}</bdi>, <Time at={at} />: <bdi>{reason}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** How many approvals there are, of how many. */
export function approvalText({ state, needed, votes, rules }: Schemas['ChangeApproval']): string {
  const given = votes.filter(({ decision, counts }) => decision === 'approve' && counts).length;
  const of = needed === null ? 'how many are needed depends on who approves' : `of ${needed} needed`;
  return `${state}: ${given} approvals ${needed === null ? `(${of})` : of}, asked by ${rules.map((rule) => `“${rule}”`).join(', ')}`;
}

function Approval({ cluster, change, approval }: About & { readonly approval: Schemas['ChangeApproval'] }) {
  const client = useQueryClient();
  const whyNot = useWhyNot(cluster);
  const caller = useCaller(cluster).data;
  const [reason, setReason] = useState('');
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'reject') => {
      const given = { path: { cluster, id: change.id }, body: { reason } };
      return decision === 'approve'
        ? service.post('/api/v1/clusters/{cluster}/taint-changes/{id}/approve', given)
        : service.post('/api/v1/clusters/{cluster}/taint-changes/{id}/reject', given);
    },
    onSettled: () => client.invalidateQueries({ queryKey: clusterKey(cluster) }),
    onSuccess: () => setReason(''),
  });
  const same = (name: string | null | undefined): boolean =>
    name !== null && name !== undefined && caller?.name.toLowerCase() === name.toLowerCase();
  const withReason = reason.trim() === '' ? ['Give a reason.'] : [];
  const notApprove = [
    ...whyNot('approve'),
    ...(caller?.kind === 'anonymous' ? ['Without authentication nobody can approve.'] : []),
    ...(same(change.by.name) ? ['Its author cannot approve it.'] : []),
    ...(same(change.onBehalfOf) ? ['The person for whom it is made cannot approve it.'] : []),
    ...(approval.votes.some(({ by, decision, counts }) => same(by.name) && decision === 'approve' && counts)
      ? ['You have approved it.']
      : []),
  ];
  return (
    <section aria-labelledby="approval">
      <h3 id="approval">Approval</h3>
      <p>
        <bdi>{approvalText(approval)}</bdi>
        {approval.state === 'waiting' && (
          <>
            ; until <Time at={approval.approveBy} />
          </>
        )}
        . {approval.apply && 'Once approved, it is written to the cluster.'}
      </p>
      {approval.note !== null && (
        <p>
          <Badge kind="warn">asked again</Badge> <bdi>{approval.note}</bdi>
        </p>
      )}
      <Votes approval={approval} />
      {approval.state === 'waiting' && (
        <div className="no-print">
          <label className="wide">
            Why you approve or reject it
            <input value={reason} onChange={({ target }) => setReason(target.value)} />
          </label>
          <div className="actions">
            <GuardedButton
              primary
              whyNot={decide.isPending ? ['…'] : [...notApprove, ...withReason]}
              onClick={() => decide.mutate('approve')}
            >
              Approve
            </GuardedButton>
            <GuardedButton
              whyNot={decide.isPending ? ['…'] : [...whyNot('approve'), ...withReason]}
              onClick={() => decide.mutate('reject')}
            >
              Reject
            </GuardedButton>
          </div>
          {decide.error !== null && <Failure error={decide.error} />}
        </div>
      )}
    </section>
  );
}

const PARTS = [
  ['written', 'good'],
  ['unchanged', 'good'],
  ['writing', 'warn'],
  ['refused', 'bad'],
  ['failed', 'bad'],
  ['unknown', 'bad'],
  ['waiting', 'quiet'],
] as const;

/** How far an application is. */
export function Progress({ counts }: { readonly counts: Schemas['ApplicationCounts'] }) {
  const parts = PARTS.filter(([state]) => counts[state] > 0);
  const text = parts.map(([state]) => `${counts[state]} ${state}`).join(', ');
  return (
    <div className="progress">
      <div className="progress-bar" aria-hidden="true">
        {parts.map(([state, kind]) => (
          <span key={state} data-kind={kind} style={{ flexGrow: counts[state] }} />
        ))}
      </div>
      <span role="status">{text}</span>
    </div>
  );
}

function Application({ cluster, change }: About) {
  const client = useQueryClient();
  const whyNot = useWhyNot(cluster);
  const missing = useWhyNotApply(cluster, change.deviceTaintRule !== null);
  const [options, setOptions] = useState<Schemas['ApplyOptionsRequest']>({});
  const { application } = change;
  const path = { cluster, id: change.id };
  const settled = { onSettled: () => client.invalidateQueries({ queryKey: clusterKey(cluster) }) };
  const apply = useMutation({
    mutationFn: (dryRun: boolean) =>
      service.post('/api/v1/clusters/{cluster}/taint-changes/{id}/apply', {
        path,
        body: { ...options, ...(dryRun && { dryRun }) },
      }),
    ...settled,
  });
  const cancel = useMutation({
    mutationFn: () => service.post('/api/v1/clusters/{cluster}/taint-changes/{id}/cancel-application', { path }),
    ...settled,
  });
  const notApply = [...whyNot('change'), ...missing, ...(change.undoneBy === null ? [] : ['It was reverted.'])];
  const isOpen = application === null || application.state === 'stopped' || application.state === 'cancelled';
  return (
    <section aria-labelledby="application">
      <h3 id="application">In the cluster</h3>
      {application === null ? (
        <p>The service does not write it: somebody makes it in the cluster, and what the cluster shows confirms it.</p>
      ) : (
        <>
          <p>
            <ApplicationBadge state={application.state} /> asked by <bdi>{application.by.name}</bdi>,{' '}
            <Time at={application.askedAt} />
            {application.endedAt !== null && (
              <>
                , ended <Time at={application.endedAt} />
              </>
            )}
            {application.message !== null && (
              <>
                : <bdi>{application.message}</bdi>
              </>
            )}
          </p>
          <Progress counts={application.counts} />
        </>
      )}
      <div className="no-print">
        {isOpen && (
          <>
            <details>
              <summary>How it is applied</summary>
              <ApplyOptions options={options} onChange={setOptions} />
            </details>
            <div className="actions">
              <GuardedButton whyNot={apply.isPending ? ['…'] : notApply} onClick={() => apply.mutate(false)}>
                {application === null ? 'Apply to the cluster' : 'Take it up again'}
              </GuardedButton>
              <GuardedButton whyNot={apply.isPending ? ['…'] : notApply} onClick={() => apply.mutate(true)}>
                Ask the API server (dry run)
              </GuardedButton>
            </div>
          </>
        )}
        {application?.state === 'running' && (
          <div className="actions">
            <GuardedButton whyNot={cancel.isPending ? ['…'] : whyNot('change')} onClick={() => cancel.mutate()}>
              Cancel the application
            </GuardedButton>
          </div>
        )}
        {apply.error !== null && <Failure error={apply.error} />}
        {cancel.error !== null && <Failure error={cancel.error} />}
        {apply.data?.dryRun === true && (
          <>
            <h4>What the API server says</h4>
            {apply.data.deviceTaintRule === null ? (
              <NodesTable nodes={apply.data.nodes} omitted={apply.data.nodesOmitted} made={false} />
            ) : (
              <RuleChange of={apply.data.deviceTaintRule} />
            )}
          </>
        )}
      </div>
    </section>
  );
}

export function Statuses({ change }: { readonly change: Change }): ReactNode {
  const { statuses, counts, deviceTaintRule } = change;
  const { recorded, confirmed, notApplied, overwritten } = statuses;
  if (deviceTaintRule !== null) {
    return (
      <p role="status">
        <StatusBadge status={change.status} />
      </p>
    );
  }
  return (
    <p role="status">
      {counts.changed} {counts.changed === 1 ? 'node' : 'nodes'}: {confirmed} confirmed, {recorded} not confirmed yet,{' '}
      {notApplied} not applied, {overwritten} overwritten.
    </p>
  );
}

function Revert({ cluster, change }: About) {
  const client = useQueryClient();
  const whyNot = useWhyNot(cluster);
  const missing = useWhyNotApply(cluster, change.deviceTaintRule !== null);
  const [reason, setReason] = useState('');
  const [force, setForce] = useState(false);
  const [isPreviewed, setPreviewed] = useState(false);
  const [done, setDone] = useState<string>();
  const preview = useQuery(revertPreviewOf(cluster, change.id, isPreviewed ? { force } : undefined));
  const revert = useMutation({
    mutationFn: (apply: boolean) =>
      service.post('/api/v1/clusters/{cluster}/taint-changes/{id}/revert', {
        path: { cluster, id: change.id },
        body: { reason, force, ...(apply && { apply }) },
      }),
    onSuccess: ({ change: made }) => setDone(made?.id),
    onSettled: () => client.invalidateQueries({ queryKey: clusterKey(cluster) }),
  });
  const withReason = reason.trim() === '' ? ['Give a reason.'] : [];
  const refused = (preview.data?.guardrails ?? [])
    .filter(({ outcome }) => outcome === 'refused')
    .map(({ rule }) => `The guardrail “${rule}” refuses it.`);
  const notRevert = [...whyNot('change'), ...refused, ...withReason];
  return (
    <details className="no-print" onToggle={({ currentTarget }) => setPreviewed(currentTarget.open)}>
      <summary>Revert it</summary>
      <label className="wide">
        Why it is reverted
        <input value={reason} onChange={({ target }) => setReason(target.value)} />
      </label>
      <label className="check">
        <input type="checkbox" checked={force} onChange={({ target }) => setForce(target.checked)} />
        Even if the same taints, labels or cordons have changed since
      </label>
      {isPreviewed && (
        <Answer of={preview} what="what the revert would do">
          {(outcome) => (
            <>
              {outcome.deviceTaintRule === null && <OutcomeSummary outcome={outcome} />}
              <Guardrails results={outcome.guardrails} />
              {outcome.deviceTaintRule === null ? (
                <NodesTable nodes={outcome.nodes} omitted={outcome.nodesOmitted} made={false} />
              ) : (
                <RuleChange of={outcome.deviceTaintRule} />
              )}
            </>
          )}
        </Answer>
      )}
      <div className="actions">
        <GuardedButton whyNot={revert.isPending ? ['…'] : notRevert} onClick={() => revert.mutate(false)}>
          Record the revert
        </GuardedButton>
        <GuardedButton
          whyNot={revert.isPending ? ['…'] : [...notRevert, ...missing]}
          onClick={() => revert.mutate(true)}
        >
          Revert in the cluster, too
        </GuardedButton>
      </div>
      {revert.error !== null && <Failure error={revert.error} />}
      {done !== undefined && (
        <p role="status">
          <Link to="/clusters/$cluster/$view" params={{ cluster, view: 'changes' }} search={{ change: done }}>
            The revert
          </Link>
        </p>
      )}
    </details>
  );
}
