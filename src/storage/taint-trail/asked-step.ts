import type { ClientBase } from 'pg';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { NulCharacter } from '../storage-error.js';
import { appendToTrail } from './trail-writer.js';

/** What became of a change that needs approval. `made`: it is a taint change now. */
export type AskedState = 'waiting' | 'made' | 'rejected' | 'expired';

/** What somebody said about a change that waits. */
export interface ChangeVote {
  readonly decision: 'approve' | 'reject';
  /** Who and why, stored verbatim: plain JSON. */
  readonly details: unknown;
  readonly saidAt: Date;
}

/** The state of a change that a decision was based on. */
export interface ExpectedAsked {
  readonly id: string;
  readonly round: number;
  readonly votes: number;
}

/** A step of a change that waits: each is one transaction, with a record of the trail. */
export interface AskedStep {
  readonly clusterId: number;
  readonly expected: ExpectedAsked;
  readonly vote?: ChangeVote;
  /** The new state, unless it stays the same. */
  readonly state?: AskedState;
  /** A new preview, which begins a new round. */
  readonly again?: { readonly preview: unknown; readonly outcomes: unknown; readonly revision: number };
  readonly draft: TrailDraft;
  readonly at: Date;
}

/** Somebody else was faster: read the change again. */
export class AskedMoved extends Error {
  override readonly name = 'AskedMoved';
}

/**
 * Takes a step of a change that waits. The caller's transaction must have locked the cluster's row.
 * @throws {AskedMoved}
 */
export async function takeStep(
  client: ClientBase,
  clusterName: string,
  { clusterId, expected, vote, state = 'waiting', again, draft, at }: AskedStep,
): Promise<void> {
  const { id, round, votes } = expected;
  const moved = await client.query(
    `update asked_changes set state = $3, round = round + $4, revision = coalesce($5, revision),
            preview = coalesce($6, preview), outcomes = coalesce($9, outcomes)
     where cluster_id = $1 and id = $2 and state = 'waiting' and round = $7
       and (select count(*) from change_votes v where v.cluster_id = $1 and v.change_id = $2) = $8`,
    [
      clusterId,
      id,
      state,
      again === undefined ? 0 : 1,
      again?.revision ?? null,
      again === undefined ? null : stringifyJson(again.preview),
      round,
      votes,
      again === undefined ? null : stringifyJson(again.outcomes),
    ],
  );
  if (moved.rowCount !== 1) throw new AskedMoved();
  if (vote !== undefined) {
    const details = stringifyJson(vote.details);
    if (details.includes('\\u0000')) throw new NulCharacter('the reason');
    await client.query(
      `insert into change_votes (cluster_id, change_id, number, round, decision, details, said_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [clusterId, id, votes + 1, round, vote.decision, details, vote.saidAt],
    );
  }
  await appendToTrail(client, { id: clusterId, name: clusterName }, [draft], { recordedAt: at });
}
