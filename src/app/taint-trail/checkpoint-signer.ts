import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { canonicalJson } from '../../core/audit/canonical-json.js';

/** The state of a chain at a time, to be stored where nobody with write access to the database can change it. */
export interface TrailCheckpoint {
  readonly cluster: string;
  readonly clusterId: number;
  /** Number of the last record; 0 before the first. */
  readonly sequence: number;
  readonly hash: string;
  readonly at: string;
}

export interface CheckpointSignature {
  /** Ed25519 signature of the canonical JSON (RFC 8785) of the checkpoint, in base64. */
  readonly signature: string;
  /** Public key as SPKI in PEM. */
  readonly publicKey: string;
}

/** Signs checkpoints, if a key is configured. */
export class CheckpointSigner {
  private readonly publicKey: string | undefined;

  /** @param key an Ed25519 private key */
  constructor(private readonly key: KeyObject | undefined) {
    this.publicKey =
      key === undefined ? undefined : createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  }

  sign(checkpoint: TrailCheckpoint): CheckpointSignature | undefined {
    if (this.key === undefined || this.publicKey === undefined) return undefined;
    const signature = sign(null, Buffer.from(canonicalJson(checkpoint)), this.key).toString('base64');
    return { signature, publicKey: this.publicKey };
  }
}
