import { CONTENDER_TITLES } from '../contenders/contender-names.ts'
import { cpuOf, type Entry, median, type Result } from './summary.ts'

const WIDTH = 900
const LABEL = 290
const ROW = 20
const HEAD = 34

/**
 * CPU per request as bars of the server and PostgreSQL, one group per scenario, each with its own
 * scale.
 */
export function plotOf(results: readonly Result[]): string {
  let y = 48
  const groups = results.map((result) => {
    const group = drawGroup(result, y)
    y += HEAD + result.entries.length * ROW + 10
    return group
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="CPU per request of every contender, by scenario">
<style>
  text { fill: #1b1f24 } .muted { fill: #57606a } .node { fill: #2f6f4f } .postgres { fill: #7fb59a }
  .ours text { font-weight: 600 } .bar { stroke: #b3261e; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .muted { fill: #9198a1 } }
</style>
<rect class="node" x="0" y="8" width="12" height="12"/><text x="18" y="19">server</text>
<rect class="postgres" x="80" y="8" width="12" height="12"/><text x="98" y="19">PostgreSQL</text>
<line class="bar" x1="190" x2="190" y1="6" y2="22"/><text x="198" y="19">the bar for Schoolgate</text>
<text class="muted" x="${WIDTH}" y="19" text-anchor="end">µs of CPU per request</text>
${groups.join('\n')}
</svg>
`
}

function drawGroup({ scenario, entries }: Result, top: number): string {
  const totals = entries.map(cpuOf)
  const floor = entries.find(({ contender }) => contender === 'floor')
  const limit = floor === undefined ? 0 : cpuOf(floor) * scenario.bar
  const scale = (WIDTH - LABEL - 70) / Math.max(limit, ...totals)
  const rows = entries.map((entry, index) => drawBar(entry, top + HEAD + index * ROW, scale))
  const x = LABEL + limit * scale
  const bottom = top + HEAD + entries.length * ROW - 4
  return `<text x="0" y="${top + 20}" font-size="15" font-weight="600">${plain(scenario.title)}</text>
${rows.join('\n')}
<line class="bar" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${top + HEAD - 2}" y2="${bottom}"/>`
}

function drawBar(entry: Entry, y: number, scale: number): string {
  const node = median(entry, 'node') * scale
  const postgres = median(entry, 'postgres') * scale
  const end = LABEL + node + postgres + 6
  return `<g${entry.contender === 'ours' ? ' class="ours"' : ''}><text x="${LABEL - 10}" y="${y + 12}" text-anchor="end">${CONTENDER_TITLES[entry.contender]}</text><rect class="node" x="${LABEL}" y="${y}" width="${node.toFixed(1)}" height="15"/><rect class="postgres" x="${(LABEL + node).toFixed(1)}" y="${y}" width="${postgres.toFixed(1)}" height="15"/><text class="muted" x="${end.toFixed(1)}" y="${y + 12}">${Math.round(median(entry, 'node')) + Math.round(median(entry, 'postgres'))}</text></g>`
}

const plain = (text: string): string =>
  text.replaceAll('`', '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
