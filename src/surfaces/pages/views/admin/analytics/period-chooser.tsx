import type { InputProblem } from '../../../../../domain/operation/refusal.ts'
import { Select } from '../../../../../foundation/html/form-fields.tsx'
import { type AskedPeriod, PRESETS } from '../../../admin/analytics/period.ts'
import { paths } from '../admin-page.tsx'

const STEPS = [
  ['day', 'Days'],
  ['week', 'Weeks'],
  ['month', 'Months'],
] as const

/** Links for the usual periods and a form for all others. Neither needs a script. */
export function PeriodChooser(props: { asked: AskedPeriod; problems: readonly InputProblem[] }) {
  const { asked, problems } = props
  const { period } = asked
  return (
    <section class="panel period" aria-label="Period">
      <nav aria-label="Last">
        <ul class="presets">
          {PRESETS.map(({ name, label }) => (
            <li>
              <a
                href={`${paths.analytics}?last=${name}`}
                aria-current={asked.kind === 'preset' && asked.name === name ? 'page' : undefined}
              >
                <span class="visually-hidden">Last </span>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <details open={asked.kind === 'custom'}>
        <summary>Other days</summary>
        <form method="get" action={paths.analytics} class="period-form">
          <DayField name="from" label="From" value={period.from} problems={problems} />
          <DayField name="to" label="To" value={period.to} problems={problems} />
          <Select name="interval" label="In steps of" value={period.interval} options={STEPS} />
          <button type="submit" class="button button-primary">
            Show
          </button>
        </form>
      </details>
    </section>
  )
}

function DayField(props: {
  name: 'from' | 'to'
  label: string
  value: string
  problems: readonly InputProblem[]
}) {
  const { name, label, value } = props
  const wrong = props.problems
    // The problem of a period that is too long for its steps is shown once, at its end.
    .filter(({ pointer }) => pointer === `/${name}` || (name === 'to' && pointer === '/interval'))
    .map(({ detail }) => detail)
  const errorId = wrong.length === 0 ? undefined : `${name}-error`
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {errorId !== undefined && (
        <p id={errorId} class="field-error">
          {wrong.join(' ')}
        </p>
      )}
      <input
        id={name}
        name={name}
        type="date"
        required
        value={value}
        aria-invalid={errorId === undefined ? undefined : 'true'}
        aria-describedby={errorId}
      />
    </div>
  )
}
