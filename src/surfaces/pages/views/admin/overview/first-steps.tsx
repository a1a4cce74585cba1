import { Panel } from '../../../../../foundation/html/site-components.tsx'
import type { Step } from '../../../admin/overview/first-steps.ts'

/** What is left to set up; what is done stays in the list, so that progress is seen. */
export function FirstStepsPanel({ steps }: { steps: readonly Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Panel title="Set up your school" lead={`${done} of ${steps.length} done.`}>
      <ul class="first-steps">
        {steps.map(({ label, why, isDone, href }) => (
          <li class={isDone ? 'first-step-done' : undefined}>
            <span class="first-step-mark" aria-hidden="true" />
            <div>
              <p class="row-title">
                {isDone || href === undefined ? label : <a href={href}>{label}</a>}
                {isDone && <span class="visually-hidden"> (done)</span>}
              </p>
              {!isDone && <p class="row-note">{why}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
