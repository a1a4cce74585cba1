import { Name } from '../../../../../foundation/html/components.tsx'
import type { AdminFrame } from '../../../views/admin/admin-page.tsx'
import { questionPage } from '../../../views/admin/question-page.tsx'
import type { FormProblems } from '../form/problems.ts'
import type { Action, Link } from '../resource.ts'
import { DefaultButton, FormField, type ShownField } from './field.tsx'
import { ProblemSummary } from './form-page.tsx'

export interface AskPageProps extends AdminFrame {
  readonly action: Action
  readonly consequence: string
  /** Whether the action can be done with the object as it is now. */
  readonly isOffered: boolean
  /** The name of the object. */
  readonly name: string
  readonly path: string
  readonly back: Link
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  /** Whether another name was typed than that of the object. */
  readonly isWrongName?: boolean
}

/** Asks for confirmation before an action. */
export function askPage(props: AskPageProps): string {
  const { action, problems, isWrongName = false } = props
  const isWrong =
    isWrongName || problems.whole.length > 0 || props.fields.some((one) => one.problems.length > 0)
  return questionPage({
    ...props,
    title: action.question,
    tone: action.tone,
    isWrong,
    consequence: (
      <>
        <p class="asked-about">
          <Name text={props.name} fallback="Unnamed" />
        </p>
        {props.isOffered ? <p>{props.consequence}</p> : <NotPossible {...props} />}
      </>
    ),
    form: props.isOffered
      ? {
          path: props.path,
          hidden: props.hidden,
          fields: <ActionFields {...props} isWrong={isWrong} />,
          typed: action.confirmsName ? { name: props.name, isWrong: isWrongName } : undefined,
          button: action.label,
        }
      : undefined,
  })
}

/** For a link that is older than the state of the object, and for a second click. */
function NotPossible({ action, problems }: AskPageProps) {
  return (
    <>
      <p>{`“${action.label}” is not possible as things are now. Nothing was done.`}</p>
      {problems.whole.map((problem) => (
        <p>{problem}</p>
      ))}
    </>
  )
}

/** What an action asks for, after the problems with it. */
export function ActionFields(props: {
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  readonly timeZone: string
  readonly isWrong: boolean
}) {
  return (
    <>
      <DefaultButton fields={props.fields} />
      {props.isWrong && <ProblemSummary {...props} heading="Nothing was done yet" />}
      {props.fields.map((shown) => (
        <FormField shown={shown} timeZone={props.timeZone} />
      ))}
    </>
  )
}
