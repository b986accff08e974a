import { Command, CommanderError } from 'commander';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ChainVerifier } from '../core/audit/hash-chain.js';
import { chainFault } from '../core/audit/trail-fault.js';
import type { TrailContent } from '../core/audit/trail-record.js';
import { LineTooLong, linesOf, recordIn } from './export-lines.js';
import { isSigned, type SavedCheckpoint, readCheckpoint, readPublicKey, InvalidFile } from './saved-checkpoint.js';
import { openSnapshotFiles } from './snapshot-body.js';

interface Options {
  readonly checkpoint?: string;
  readonly publicKey?: string;
}

const HOLDS = 0;
const FAULT = 1;
const BAD_USE = 2;

const sha256 = (text: string): string => hash('sha256', text, 'hex');
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const command = new Command('verify-audit')
  .description(
    'Verifies an export of an audit trail (NDJSON, gzip-compressed or not) without the service that wrote it.',
  )
  .argument('<file>', 'response of GET .../taint-trail/export; - for standard input')
  .option('--checkpoint <file>', 'earlier response of GET .../taint-trail/head')
  .option('--public-key <file>', "public key of the checkpoint's signature: PEM, Ed25519")
  .exitOverride();

/** @returns the exit code */
async function verifyAudit(file: string, { checkpoint: checkpointFile, publicKey: keyFile }: Options): Promise<number> {
  if (keyFile !== undefined && checkpointFile === undefined) {
    throw new InvalidFile('--public-key requires --checkpoint');
  }
  const checkpoint =
    checkpointFile === undefined ? undefined : readCheckpoint(await readFile(checkpointFile, 'utf8'), checkpointFile);
  if (checkpoint !== undefined && keyFile !== undefined) {
    if (!isSigned(checkpoint, readPublicKey(await readFile(keyFile, 'utf8'), keyFile))) {
      say('fault: the checkpoint is not signed with this key, or was modified');
      return FAULT;
    }
  }
  return verifyChain(file, checkpoint, keyFile !== undefined);
}

async function verifyChain(file: string, checkpoint: SavedCheckpoint | undefined, signed: boolean): Promise<number> {
  const verifier = new ChainVerifier(sha256, checkpoint === undefined ? {} : { checkpoint });
  let number = 0;
  let damage: string | undefined;
  let cluster: TrailContent['cluster'] | undefined;
  try {
    for await (const line of linesOf(openSnapshotFiles([file], () => undefined))) {
      number += 1;
      const record = recordIn(line, sha256);
      if (record === undefined) {
        damage = `line ${number} is not a record of an export`;
        break;
      }
      const content = verifier.addWritten(record.text, record.hash) as TrailContent | undefined;
      if (content === undefined) break;
      cluster = content.cluster;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage = `the file is truncated or damaged after line ${number}: ${error.message}`;
  }
  const { verified, head, fault } = verifier.finish();
  say(`records verified: ${verified}${cluster === undefined ? '' : ` of cluster ${cluster.name} (${cluster.id})`}`);
  say(`head: record ${head.sequence}, ${head.hash}`);
  const wrong =
    damage ??
    (fault === undefined ? undefined : `record ${fault.sequence} (${fault.code}): ${chainFault(fault).message}`);
  const other = wrong ?? otherTrail(checkpoint, cluster);
  if (other !== undefined) {
    say(`first fault: ${other}`);
    return FAULT;
  }
  if (checkpoint === undefined) {
    say('without --checkpoint, records removed from the end cannot be detected');
  } else {
    const how = signed
      ? 'signed with the key'
      : checkpoint.signature == null
        ? 'not signed'
        : 'its signature was not verified';
    say(`checkpoint: record ${checkpoint.sequence} is unchanged (${how})`);
  }
  say('every record is valid');
  return HOLDS;
}

/** Whether the file is damaged, as opposed to unreadable. */
function isDamage(error: unknown): error is Error {
  const { code } = error as { readonly code?: unknown };
  return error instanceof LineTooLong || (typeof code === 'string' && code.startsWith('Z_'));
}

/** The error for a checkpoint of another trail. */
function otherTrail(
  checkpoint: SavedCheckpoint | undefined,
  cluster: TrailContent['cluster'] | undefined,
): string | undefined {
  if (checkpoint?.clusterId === undefined || cluster === undefined || checkpoint.clusterId === cluster.id)
    return undefined;
  return `the checkpoint belongs to another trail, that of ${checkpoint.cluster ?? 'cluster'} (${checkpoint.clusterId})`;
}

try {
  command.parse();
  process.exitCode = await verifyAudit(command.args[0]!, command.opts());
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? HOLDS : BAD_USE;
  } else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = BAD_USE;
  }
}
