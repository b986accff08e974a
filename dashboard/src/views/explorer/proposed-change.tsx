import type { Schemas } from '../../api/service.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Diff } from '../../ui/diff.js';
import { patched } from './patched.js';

/** A change of the manifest, as a diff of its text. */
export function ProposedChange({
  text,
  patch,
  onAsk,
}: {
  readonly text: string;
  readonly patch: readonly Schemas['GatePatchOperation'][];
  readonly onAsk: (text: string) => void;
}) {
  const after = patched(text, patch);
  if (after === undefined) return <pre className="diff">{JSON.stringify(patch, undefined, 2)}</pre>;
  return (
    <>
      <Diff before={text} after={after} label="The changed manifest" />
      <div className="explorer-tools">
        <CopyButton text={after} what="the changed manifest" />
        <button type="button" onClick={() => onAsk(after)}>
          Ask again with it
        </button>
      </div>
    </>
  );
}
