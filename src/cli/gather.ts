/** For an option that may be repeated: all its values. */
export function gather(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}
