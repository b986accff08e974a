import { useEffect, useState, type ReactNode } from 'react';
import { useSlow } from './use-slow.js';

/** From then on, one sees how long it takes, and may cancel it. */
const LONG_MS = 1000;

interface Awaited {
  readonly children: ReactNode;
  /** Absent if it is not asked yet. */
  readonly onCancel?: (() => void) | undefined;
}

/** That an answer is awaited; if it takes long, since when, and the way out. */
export function Progress({ children, onCancel }: Awaited) {
  const isLong = useSlow(true, LONG_MS);
  return (
    <p className="pending" role="status">
      {children}
      {isLong && onCancel !== undefined && (
        <>
          {' '}
          <Seconds from={LONG_MS / 1000} />{' '}
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </>
      )}
    </p>
  );
}

/** The same, unless the answer comes soon: what is read meanwhile stays where it is. */
export function LateProgress(props: Awaited) {
  return useSlow(true, LONG_MS) && <Progress {...props} />;
}

/** Not said aloud: it would interrupt every second. */
function Seconds({ from }: { readonly from: number }) {
  const [passed, setPassed] = useState(from);
  useEffect(() => {
    const timer = window.setInterval(() => setPassed((now) => now + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  return <span aria-hidden="true">{passed} s</span>;
}
