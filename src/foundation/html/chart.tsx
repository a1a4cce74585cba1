import type { ComponentChildren } from 'preact'

export interface Series {
  readonly label: string
  /** One value for each step, none below zero. */
  readonly values: readonly number[]
}

interface ChartProps {
  /** A prefix for ids of this chart; unique on the page. */
  readonly id: string
  readonly title: string
  /** The chart in words, for screen readers. */
  readonly description: string
  /** Full names of the steps. */
  readonly steps: readonly string[]
  /** Names of the steps, short enough for the axis. */
  readonly axis: readonly string[]
  readonly format: (value: number) => string
  /** Formats a value, short enough for the axis. */
  readonly formatShort: (value: number) => string
  /** The smallest step of the axis: 100 if values are cents. */
  readonly unit?: number
  /** The place of a step that is not over yet: it is drawn with dashes, and `note` says so. */
  readonly unfinished?: number | undefined
  readonly note?: string | undefined
}

const STEP = 10
const HEIGHT = 100

/** Bars, one for each series and step. */
export function BarChart(props: ChartProps & { readonly series: readonly Series[] }) {
  const { series, steps, format } = props
  const top = topOfAll(series, props.unit)
  const width = (STEP * 0.8) / series.length
  const hasOpenBar = series.some(({ values }) => (values[props.unfinished ?? -1] ?? 0) > 0)
  return (
    <Chart
      {...props}
      note={hasOpenBar ? props.note : undefined}
      top={top}
      legend={series.map(({ label }) => label)}
    >
      {series.map(({ label, values }, place) =>
        values.map((value, step) => (
          <Bar
            kind={place}
            isOpen={step === props.unfinished}
            x={step * STEP + STEP * 0.1 + place * width}
            width={width}
            height={(value / top) * HEIGHT}
            title={`${steps[step]}: ${format(value)}${series.length > 1 ? ` ${label.toLowerCase()}` : ''}`}
          />
        )),
      )}
    </Chart>
  )
}

interface BarProps {
  kind: number
  isOpen: boolean
  x: number
  width: number
  height: number
  title: string
}

function Bar(props: BarProps) {
  if (props.height === 0) return null
  // A value above zero stays visible, however small it is beside the greatest.
  const height = Math.max(props.height, 0.75)
  return (
    <rect
      class={`chart-mark chart-mark-${props.kind + 1}${props.isOpen ? ' chart-open' : ''}`}
      x={rounded(props.x)}
      y={rounded(HEIGHT - height)}
      width={rounded(props.width)}
      height={rounded(height)}
    >
      <title>{props.title}</title>
    </rect>
  )
}

/** A line over the steps, with a tinted area below it. */
export function LineChart(props: ChartProps & { readonly series: Series }) {
  const { series, steps, format } = props
  const top = topOfAll([series], props.unit)
  const end = steps.length * STEP
  const points = series.values.map((value, step) => {
    const x = steps.length === 1 ? 0 : (step / (steps.length - 1)) * end
    return `${rounded(x)},${rounded(HEIGHT - (value / top) * HEIGHT)}`
  })
  // A single step is drawn as a level line, because a single point would be invisible.
  const line = points.length === 1 ? [...points, `${end},${points[0]?.split(',')[1]}`] : points
  const over = points.slice(0, props.unfinished)
  return (
    <Chart {...props} top={top} legend={[]}>
      <polygon class="chart-ground" points={`0,${HEIGHT} ${line.join(' ')} ${end},${HEIGHT}`} />
      {props.unfinished === undefined || points.length === 1 ? (
        <polyline class="chart-trace" points={line.join(' ')} />
      ) : (
        <>
          <polyline class="chart-trace" points={over.join(' ')} />
          <polyline
            class="chart-trace chart-open"
            points={points.slice(Math.max(0, over.length - 1)).join(' ')}
          />
        </>
      )}
      {series.values.map((value, step) => (
        <rect class="chart-spot" x={step * STEP} y={0} width={STEP} height={HEIGHT}>
          <title>{`${steps[step]}: ${format(value)}`}</title>
        </rect>
      ))}
    </Chart>
  )
}

function topOfAll(series: readonly Series[], unit = 1): number {
  return topOf(Math.max(0, ...series.flatMap(({ values }) => values)) / unit) * unit
}

type FrameProps = ChartProps & {
  readonly top: number
  readonly legend: readonly string[]
  readonly children: ComponentChildren
}

/**
 * The SVG stretches to the available width, so all labels are HTML around it: inside the SVG they
 * would be stretched too, and too small on a phone.
 */
function Chart({ id, title, description, steps, axis, formatShort, top, ...rest }: FrameProps) {
  const width = steps.length * STEP
  return (
    <figure class="chart">
      {rest.legend.length > 1 && (
        <ul class="chart-legend" aria-hidden="true">
          {rest.legend.map((label, place) => (
            <li class={`chart-key chart-key-${place + 1}`}>{label}</li>
          ))}
        </ul>
      )}
      <div class="chart-scale" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span>{formatShort(value)}</span>
        ))}
      </div>
      <svg
        class="chart-plot"
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-description`}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-description`}>{description}</desc>
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <line class="chart-rule" x1={0} y1={y} x2={width} y2={y} />
        ))}
        {rest.children}
      </svg>
      <div class="chart-axis" aria-hidden="true">
        {fewOf(axis).map((label) => (
          <span>{label}</span>
        ))}
      </div>
      {rest.note !== undefined && <figcaption class="chart-note">{rest.note}</figcaption>}
    </figure>
  )
}

interface FiguresProps {
  readonly caption: string
  readonly headings: readonly string[]
  /** The first cell of each row is its heading. */
  readonly rows: readonly (readonly string[])[]
}

/** The data of a chart as a table, to read and to copy. */
export function Figures({ caption, headings, rows }: FiguresProps) {
  return (
    <details class="figures">
      <summary>Figures</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section class="figures-room" aria-label={caption} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {headings.map((heading) => (
                <th scope="col">{heading}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr>
                <th scope="row">{name}</th>
                {cells.map((cell) => (
                  <td>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

/** A bar of 0 to 100 percent, beside text that says the same. */
export function FillBar({ percent }: { percent: number }) {
  return (
    <svg class="fill-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="fill-bar-room" width={100} height={1} />
      <rect class="chart-mark chart-mark-1" width={Math.min(100, percent)} height={1} />
    </svg>
  )
}

/**
 * The end of a scale that starts at zero: a round number at or above the greatest value that is
 * twice another round number, so that the middle line has a short label too.
 */
export function topOf(greatest: number): number {
  if (greatest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(greatest / 2))
  const factor = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => 2 * one * power >= greatest) ?? 10
  return 2 * factor * power
}

/** The first, the middle and the last, for an axis with room for three labels. */
export function fewOf<T>(all: readonly T[]): readonly T[] {
  if (all.length <= 3) return all
  const middle = Math.floor((all.length - 1) / 2)
  return [all[0], all[middle], all.at(-1)] as readonly T[]
}

/** A number for an SVG attribute, rounded to hundredths, which no screen resolves. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
