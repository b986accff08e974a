import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Something that one asks for with a button, may take long, and can be cancelled. */
export function useCancellable<Argument, Result>(run: (of: Argument, signal: AbortSignal) => Promise<Result>) {
  const ending = useRef<AbortController>(undefined);
  const asked = useMutation({
    mutationFn: (of: Argument) => {
      ending.current = new AbortController();
      return run(of, ending.current.signal);
    },
  });
  useEffect(() => () => ending.current?.abort(), []);
  const cancel = (): void => {
    ending.current?.abort();
    asked.reset();
  };
  return { ...asked, cancel };
}
