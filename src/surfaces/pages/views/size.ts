export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB']
  const step = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  const amount = bytes / 1000 ** step
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[step - 1]}`
}
