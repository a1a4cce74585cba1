/** "in 5 hours", rounded down: what ends must not last longer than its page says. */
export function timeLeft(until: Date, now: Date): string {
  const minutes = Math.floor((until.getTime() - now.getTime()) / 60_000)
  if (minutes < 1) return 'in less than a minute'
  const [count, unit] =
    minutes < 120
      ? [minutes, 'minute']
      : minutes < 72 * 60
        ? [Math.floor(minutes / 60), 'hour']
        : [Math.floor(minutes / (24 * 60)), 'day']
  return `in ${count} ${unit}${count === 1 ? '' : 's'}`
}
