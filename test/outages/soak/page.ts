import type { Figure, Sample } from './sample.ts'
import { judge } from './verdict.ts'

const TITLES: Readonly<Record<Figure, string>> = {
  memoryMegabytes: 'Resident memory, MB',
  heldMegabytes: 'Memory held after a collection, MB',
  descriptors: 'Open descriptors',
  eventLoopDelayMs: 'Event-loop delay, 99th percentile, ms',
  machineDelayMs: 'The same of an idle thread, with the 10 ms of its timer',
  backends: 'Connections to PostgreSQL',
  requests: 'Requests a second',
}

const FIGURES = Object.keys(TITLES) as Figure[]

/** What we do to the server, and how late the machine is by itself. */
const NOT_OF_THE_SERVER: ReadonlySet<Figure> = new Set<Figure>(['requests', 'machineDelayMs'])

export interface Soaked {
  readonly samples: readonly Sample[]
  readonly machine: string
  readonly day: string
  readonly requests: number
  readonly failures: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

/** docs/soak.md. */
export function soakPage({ samples, machine, day, requests, failures, problems }: Soaked): string {
  const minutes = Math.round(samples.at(-1)?.minutes ?? 0)
  const failed = Object.entries(failures).map(([kind, times]) => `${times} × ${kind}`)
  const rows = FIGURES.map((figure) => {
    const { mean, highest, growth, isFlat } = judge(samples, figure)
    const cells = [TITLES[figure], mean.toFixed(1), highest.toFixed(1), signed(growth)]
    const verdict = NOT_OF_THE_SERVER.has(figure) ? '' : isFlat ? 'flat' : '**grows**'
    return `| ${[...cells, verdict].join(' | ')} |`
  })
  return `# Soak

\`npm run soak\` keeps one server with the embedded database at work and looks at it every ten seconds. The traffic is that of
[reliability.md](reliability.md) at a steady rate, with purges, and an import every minute. \`SOAK_MINUTES\` sets the length.
Once a minute the server collects its garbage, so that what is left is what it holds: by itself, V8 waits until it needs the memory.

${day}, ${minutes} minutes, ${requests.toLocaleString('en-US')} requests, on ${machine}. Without verdict:
${failed.length === 0 ? 'none' : failed.join(', ')}. At the end every token and course was as the server had confirmed${problems.length === 0 ? '.' : `, except: ${problems.join('; ')}.`}

| | Mean of the second half | Highest | Growth in the second half | |
| --- | ---: | ---: | ---: | --- |
${rows.join('\n')}

Growth is what a straight line through the second half rises by. Flat means at most 5 % (event-loop delay 25 %),
or a few units where the mean is small: caches fill in the first half. The growth of the event-loop delay is without that of
an idle thread beside the server, which is late only when the machine is.

![The figures over time](soak.svg)
`
}

const signed = (number: number): string => `${number < 0 ? '−' : '+'}${Math.abs(number).toFixed(1)}`

const [WIDTH, HEIGHT, LEFT, GAP] = [760, 110, 60, 46]

/** One small plot for each figure, one below the other. */
export function soakPlot(samples: readonly Sample[]): string {
  const panels = FIGURES.map((figure, place) => panel(samples, figure, place * (HEIGHT + GAP)))
  const height = FIGURES.length * (HEIGHT + GAP)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Memory, descriptors, event-loop delay, connections and requests over time">
<style>
  text { fill: #1b1f24 } .muted { fill: #57606a } .axis { stroke: #b7bec6 } .line { stroke: #2f6f4f; fill: none; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .muted { fill: #9198a1 } .axis { stroke: #4a525b } .line { stroke: #7fb59a } }
</style>
${panels.join('\n')}
</svg>
`
}

function panel(samples: readonly Sample[], figure: Figure, top: number): string {
  const end = samples.at(-1)?.minutes ?? 1
  const highest = Math.max(1, ...samples.map((sample) => sample[figure])) * 1.1
  const bottom = top + 24 + HEIGHT
  const x = (minutes: number) => LEFT + (minutes / end) * (WIDTH - LEFT - 10)
  const y = (value: number) => bottom - (value / highest) * HEIGHT
  const points = samples.map((one) => `${x(one.minutes).toFixed(1)},${y(one[figure]).toFixed(1)}`)
  return `<text x="0" y="${top + 14}" font-weight="600">${TITLES[figure]}</text>
<line class="axis" x1="${LEFT}" x2="${WIDTH - 10}" y1="${bottom}" y2="${bottom}"/><line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${bottom - HEIGHT}" y2="${bottom}"/>
<text class="muted" x="${LEFT - 6}" y="${bottom - HEIGHT + 10}" text-anchor="end">${highest.toFixed(0)}</text><text class="muted" x="${LEFT - 6}" y="${bottom}" text-anchor="end">0</text>
<text class="muted" x="${WIDTH - 10}" y="${bottom + 14}" text-anchor="end">${end.toFixed(0)} min</text>
<polyline class="line" points="${points.join(' ')}"/>`
}
