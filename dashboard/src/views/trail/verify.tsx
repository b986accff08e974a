import { useState } from 'react';
import { useCancellable } from '../../api/cancellable.js';
import { Badge } from '../../ui/badge.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Failure } from '../../ui/failure.js';
import { LateProgress } from '../../ui/progress.js';
import { headOf, verify, type Checkpoint } from './queries.js';

/** Checks the chain of records, against a checkpoint that somebody has kept, if there is one. */
export function Verify({ cluster }: { readonly cluster: string }) {
  const [kept, setKept] = useState('');
  const check = useCancellable((checkpoint: Checkpoint | undefined, signal) => verify(cluster, checkpoint, signal));
  const head = useCancellable((_: undefined, signal) => headOf(cluster, signal));
  const isUnread = kept.trim() !== '' && checkpointIn(kept) === undefined;
  return (
    <div>
      <h2>Is it intact?</h2>
      <details>
        <summary>Against a checkpoint that you have kept</summary>
        <label className="wide">
          Checkpoint
          <textarea
            className="code"
            rows={3}
            value={kept}
            placeholder={'{"sequence": 7, "hash": "…"}'}
            aria-invalid={isUnread}
            onChange={({ target }) => setKept(target.value)}
          />
        </label>
        {isUnread && <p role="status">A checkpoint is JSON with `sequence` and `hash`.</p>}
      </details>
      <div className="trail-actions">
        <button
          type="button"
          className="primary"
          disabled={check.isPending || isUnread}
          onClick={() => check.mutate(checkpointIn(kept))}
        >
          Verify the trail
        </button>
        <button type="button" disabled={head.isPending} onClick={() => head.mutate(undefined)}>
          A checkpoint to keep
        </button>
      </div>
      {check.isPending && <LateProgress onCancel={check.cancel}>Verifying the trail…</LateProgress>}
      {head.isPending && <LateProgress onCancel={head.cancel}>Reading the checkpoint…</LateProgress>}
      <div role="status">
        {check.data !== undefined && (
          <p>
            {check.data.holds ? <Badge kind="good">holds</Badge> : <Badge kind="bad">is broken</Badge>}{' '}
            {check.data.verified} records are intact
            {check.data.fault !== null && (
              <>
                ; <bdi>{check.data.fault.message}</bdi>
              </>
            )}
            . The last is {check.data.head.sequence}, <span className="mono hash">{check.data.head.hash}</span>
          </p>
        )}
      </div>
      {check.error !== null && <Failure error={check.error} />}
      {head.data !== undefined && (
        <>
          <CopyButton text={JSON.stringify(head.data)} what="the checkpoint" />
          <pre className="commands" tabIndex={0}>
            {JSON.stringify(head.data, undefined, 2)}
          </pre>
        </>
      )}
      {head.error !== null && <Failure error={head.error} />}
    </div>
  );
}

function checkpointIn(text: string): Checkpoint | undefined {
  try {
    const { sequence, hash } = JSON.parse(text) as { readonly sequence?: unknown; readonly hash?: unknown };
    return typeof sequence === 'number' && typeof hash === 'string' ? { sequence, hash } : undefined;
  } catch {
    return undefined;
  }
}
