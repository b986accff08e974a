const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Whether a text is a valid time; `Date.parse` alone turns February 30 into March 2. */
export function isRfc3339(text: string): boolean {
  const match = RFC_3339.exec(text);
  if (match === null || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = match.slice(1, 4).map(Number);
  // The day before the first of the next month.
  return day! <= new Date(Date.UTC(year!, month, 0)).getUTCDate();
}
