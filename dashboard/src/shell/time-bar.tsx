import { useNavigate } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { isPast, useMoment } from '../api/moment.js';
import { overviewOf, revisionsOf } from '../api/queries.js';
import { Time } from '../ui/time.js';

/** Chooses the revision that every view shows; the address names it. */
export function TimeBar({ cluster }: { readonly cluster: string }) {
  const moment = useMoment();
  const navigate = useNavigate();
  const id = useId();
  const head = useQuery(revisionsOf(cluster)).data;
  const shown = useQuery(overviewOf(cluster, moment)).data?.basis;
  const go = (revision: number | undefined): void => {
    void navigate({
      to: '.',
      search: (search) => ({ ...search, at: undefined, revision }),
      replace: true,
    });
  };
  const newest = head?.newest ?? shown?.revision;
  const oldest = head?.oldest ?? 1;
  if (newest === undefined || shown === undefined) return <div className="time-bar" />;
  return (
    <div className="time-bar" data-past={isPast(moment)}>
      <label htmlFor={id}>Revision</label>
      <input
        id={id}
        type="range"
        min={oldest}
        max={newest}
        value={shown.revision}
        disabled={oldest === newest}
        aria-valuetext={`revision ${shown.revision}, captured ${shown.capturedAt}`}
        onChange={({ target }) => {
          const revision = Number(target.value);
          go(revision === newest ? undefined : revision);
        }}
      />
      <span>
        {shown.revision} of {newest}, captured <Time at={shown.capturedAt} />
      </span>
      {isPast(moment) && (
        <button type="button" onClick={() => go(undefined)}>
          Back to now
        </button>
      )}
    </div>
  );
}
