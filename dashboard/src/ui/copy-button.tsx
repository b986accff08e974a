import { useState } from 'react';

/** Copies a text, and says so. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('copied');
    } catch {
      setSaid('the browser does not allow it');
    }
  };
  return (
    <>
      <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status" className="quiet">
        {said}
      </span>
    </>
  );
}
