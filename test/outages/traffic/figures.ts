export interface Failure {
  readonly port: number
  readonly startedAt: number
  readonly kind: string
}

/** What happened to the requests of a scenario. */
export class Figures {
  requests = 0
  longestMs = 0
  readonly failures: Failure[] = []

  answered(startedAt: number, endedAt: number): void {
    this.requests += 1
    this.longestMs = Math.max(this.longestMs, endedAt - startedAt)
  }

  failed(failure: Failure): void {
    this.failures.push(failure)
  }

  byKind(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { kind } of this.failures) counts[kind] = (counts[kind] ?? 0) + 1
    return counts
  }

  /** How long requests to this server still failed after its database was back, in seconds. */
  recovery(port: number, backAt: number): number {
    const late = this.failures
      .filter((failure) => failure.port === port && failure.startedAt >= backAt)
      .map(({ startedAt }) => (startedAt - backAt) / 1000)
    return Math.max(0, ...late)
  }
}
