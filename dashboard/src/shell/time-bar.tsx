import { useNavigate } from '@tanstack/react-router';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { isPast, useMoment } from '../api/moment.js';
import { MOST_REVISIONS, overviewOf, revisionsOf, type RevisionList, type StoredRevision } from '../api/queries.js';
import { ServiceError, type Schemas } from '../api/service.js';
import { count } from '../ui/format.js';
import { exactTime, Time } from '../ui/time.js';
import { useSlow } from '../ui/use-slow.js';

const SLOW_MS = 1000;

const KINDS: Readonly<Record<StoredRevision['kind'], string>> = {
  snapshot: 'snapshot',
  delta: 'what changed',
  restatement: 'restatement',
  taintChange: 'change of taints',
  settings: 'change of settings',
};

interface Choice {
  readonly revision?: number | undefined;
  readonly at?: string | undefined;
}

/** Chooses the revision that every view shows, of those that are stored; the address names it. */
export function TimeBar({ cluster }: { readonly cluster: string }) {
  const moment = useMoment();
  const navigate = useNavigate();
  const newest = useQuery(revisionsOf(cluster)).data;
  const shown = useQuery(overviewOf(cluster, moment));
  const basis = shown.data?.basis;
  const isSlow = useSlow(newest === undefined || basis === undefined, SLOW_MS);
  const go = ({ revision, at }: Choice): void => {
    void navigate({ to: '.', search: (search) => ({ ...search, at, revision }), replace: true });
  };
  const now = (
    <button type="button" onClick={() => go({})}>
      Back to now
    </button>
  );
  // What is shown meanwhile is of another moment, so it must not pass for the one that was asked for.
  if (isPast(moment) && shown.error instanceof ServiceError && shown.error.status === 404) {
    const oldest = newest?.items[0];
    return (
      <div className="time-bar" data-past="true" role="alert">
        <span>{shown.error.message}</span>
        {oldest !== undefined && oldest.revision !== moment.revision && (
          <button type="button" onClick={() => go({ revision: oldest.revision })}>
            Go to revision {oldest.revision}, the oldest that is listed
          </button>
        )}
        {now}
      </div>
    );
  }
  if (newest === undefined || basis === undefined || newest.items.length === 0) {
    const isRead = newest !== undefined && basis !== undefined;
    return <div className="time-bar">{isSlow && !isRead && <span role="status">Reading the revisions…</span>}</div>;
  }
  return (
    <div className="time-bar" data-past={isPast(moment)}>
      <Revisions {...{ cluster, newest, basis, go }} />
      <MomentField key={moment.at ?? ''} at={moment.at} go={go} />
      {newest.total > newest.items.length && <NumberField key={`number ${basis.revision}`} basis={basis} go={go} />}
      {isPast(moment) && now}
    </div>
  );
}

type Basis = Pick<Schemas['Basis'], 'revision' | 'capturedAt'>;

/** The number up to which an answer has the revisions, so that this one is among them. */
const upTo = (revision: number): number => Math.ceil(revision / MOST_REVISIONS) * MOST_REVISIONS + 1;

/** The slider, over the last revisions that are stored, or over as many around an earlier one. */
function Revisions({
  cluster,
  newest,
  basis,
  go,
}: {
  readonly cluster: string;
  readonly newest: RevisionList;
  readonly basis: Basis;
  readonly go: (choice: Choice) => void;
}) {
  const id = useId();
  const client = useQueryClient();
  const isEarlier = basis.revision < newest.items[0]!.revision;
  const earlier = useQuery({ ...revisionsOf(cluster, upTo(basis.revision)), enabled: isEarlier });
  const { items, total } = isEarlier
    ? earlier.data === undefined || earlier.isPlaceholderData
      ? NOT_READ
      : earlier.data
    : newest;
  const last = newest.items.at(-1)!.revision;
  const place = Math.max(
    0,
    items.findLastIndex(({ revision }) => revision <= basis.revision),
  );
  const current = items[place];
  const what = current !== undefined && current.revision === basis.revision ? `, ${KINDS[current.kind]}` : '';
  const goTo = (revision: number | undefined): void => {
    if (revision !== undefined) go({ revision: revision === last ? undefined : revision });
  };
  const isFirst = place === 0;
  const isLast = place >= items.length - 1;
  const hasEarlier = !isFirst || total > items.length;
  const goEarlier = async (): Promise<void> => {
    if (!isFirst) {
      goTo(items[place - 1]!.revision);
      return;
    }
    const from = items[0]!.revision;
    const before = await client.query(revisionsOf(cluster, upTo(from - 1)));
    goTo(before.items.findLast(({ revision }) => revision < from)?.revision);
  };
  const goLater = async (): Promise<void> => {
    if (!isLast) {
      goTo(items[place + 1]!.revision);
      return;
    }
    const from = basis.revision;
    const after = await client.query(revisionsOf(cluster, upTo(from + 1)));
    goTo([...after.items, ...newest.items].find(({ revision }) => revision > from)?.revision);
  };
  return (
    <>
      <label htmlFor={id}>Revision</label>
      <button type="button" aria-label="Earlier revision" disabled={!hasEarlier} onClick={() => void goEarlier()}>
        ‹
      </button>
      <input
        id={id}
        type="range"
        min={0}
        max={Math.max(0, items.length - 1)}
        value={place}
        disabled={newest.total === 1}
        aria-valuetext={`revision ${basis.revision}${what}, captured ${exactTime(basis.capturedAt)}`}
        onChange={({ target }) => goTo(items[Number(target.value)]?.revision)}
      />
      <button type="button" aria-label="Later revision" disabled={isLast && !isEarlier} onClick={() => void goLater()}>
        ›
      </button>
      <span>
        {basis.revision}
        {what}, captured <Time at={basis.capturedAt} />
        <span className="quiet">
          {' '}
          · {count(newest.total)} stored
          {newest.total > items.length &&
            items.length > 0 &&
            `, the slider has ${count(items[0]!.revision)} to ${count(items.at(-1)!.revision)}`}
        </span>
      </span>
    </>
  );
}

const NOT_READ: RevisionList = { items: [], total: 0 };

/** A moment in the browser's time zone. */
function MomentField({ at, go }: { readonly at: string | undefined; readonly go: (choice: Choice) => void }) {
  const [text, setText] = useState(at === undefined ? '' : localText(new Date(at)));
  const time = Date.parse(text);
  return (
    <form
      className="moment"
      onSubmit={(event) => {
        event.preventDefault();
        if (!Number.isNaN(time)) go({ at: new Date(time).toISOString() });
      }}
    >
      <label>
        <span>as of </span>
        <input type="datetime-local" step={1} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <button type="submit" disabled={Number.isNaN(time)}>
        Go
      </button>
    </form>
  );
}

/** A revision by its number, which may be far from what the slider has. */
function NumberField({ basis, go }: { readonly basis: Basis; readonly go: (choice: Choice) => void }) {
  const [text, setText] = useState(String(basis.revision));
  const revision = Number(text);
  const isNumber = Number.isInteger(revision) && revision > 0;
  return (
    <form
      className="moment"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNumber) go({ revision });
      }}
    >
      <label>
        <span>or revision </span>
        <input type="number" min={1} step={1} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <button type="submit" aria-label="Go to the revision" disabled={!isNumber}>
        Go
      </button>
    </form>
  );
}

function localText(date: Date): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
