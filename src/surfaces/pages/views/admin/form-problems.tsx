import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import { Alert } from '../../../../foundation/html/components.tsx'

export interface LabelledField {
  readonly field: string
  readonly label: string
}

/** What is wrong with one field of a form. */
export function problemsAt(problems: readonly InputProblem[], field: string): string[] {
  return problems.filter(({ pointer }) => pointer === `/${field}`).map(({ detail }) => detail)
}

/** Above a form that was refused: links to the fields to correct. */
export function FormProblems(props: {
  fields: readonly LabelledField[]
  problems: readonly InputProblem[]
}) {
  const { fields, problems } = props
  if (problems.length === 0) return null
  return (
    <Alert tone="error" title="Nothing was saved yet">
      <p>Check these fields:</p>
      {fields
        .filter(({ field }) => problemsAt(problems, field).length > 0)
        .map(({ field, label }) => (
          <a href={`#${field}`}>{label}</a>
        ))}
    </Alert>
  )
}
