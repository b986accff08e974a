import { useEffect, useState } from 'react';

/** Whether something takes so long that it should be said. */
export function useSlow(isRunning: boolean, ms: number): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setSlow(isRunning), isRunning ? ms : 0);
    return () => window.clearTimeout(timer);
  }, [isRunning, ms]);
  return isSlow && isRunning;
}
