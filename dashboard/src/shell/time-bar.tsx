import { useNavigate } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { isPast, useMoment } from '../api/moment.js';
import { overviewOf, revisionsOf, type StoredRevision } from '../api/queries.js';
import { ServiceError } from '../api/service.js';
import { count } from '../ui/format.js';
import { exactTime, Time } from '../ui/time.js';

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
  const id = useId();
  const revisions = useQuery(revisionsOf(cluster)).data;
  const shown = useQuery(overviewOf(cluster, moment));
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
    const oldest = revisions?.items[0];
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
  const basis = shown.data?.basis;
  if (revisions === undefined || basis === undefined || revisions.items.length === 0)
    return <div className="time-bar" />;
  const { items } = revisions;
  const newest = items.at(-1)!;
  const place = placeOf(items, basis.revision);
  const current = items[place]!;
  const isListed = current.revision === basis.revision;
  const what = isListed ? `, ${KINDS[current.kind]}` : '';
  const step = (to: number): void => {
    const { revision } = items[to]!;
    go({ revision: revision === newest.revision ? undefined : revision });
  };
  return (
    <div className="time-bar" data-past={isPast(moment)}>
      <label htmlFor={id}>Revision</label>
      <button type="button" aria-label="Earlier revision" disabled={place === 0} onClick={() => step(place - 1)}>
        ‹
      </button>
      <input
        id={id}
        type="range"
        min={0}
        max={items.length - 1}
        value={place}
        disabled={items.length === 1}
        aria-valuetext={`revision ${basis.revision}${what}, captured ${exactTime(basis.capturedAt)}`}
        onChange={({ target }) => step(Number(target.value))}
      />
      <button
        type="button"
        aria-label="Later revision"
        disabled={place === items.length - 1}
        onClick={() => step(place + 1)}
      >
        ›
      </button>
      <span>
        {basis.revision}
        {what}, captured <Time at={basis.capturedAt} />
        <span className="quiet">
          {' '}
          · {count(revisions.total)} stored{revisions.total > items.length && `, the last ${count(items.length)} here`}
        </span>
      </span>
      <MomentField key={moment.at ?? ''} at={moment.at} go={go} />
      {isPast(moment) && now}
    </div>
  );
}

/** The last place with a revision up to the given one. */
function placeOf(items: readonly StoredRevision[], revision: number): number {
  const later = items.findIndex((item) => item.revision > revision);
  return later === -1 ? items.length - 1 : Math.max(0, later - 1);
}

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

function localText(date: Date): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
