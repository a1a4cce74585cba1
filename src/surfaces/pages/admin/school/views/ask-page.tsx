import { Button, Form, Name } from '../../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { ConfirmName } from '../../../views/confirm-name.tsx'
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
  const { action, back, problems } = props
  const isWrong =
    props.isWrongName === true ||
    problems.whole.length > 0 ||
    props.fields.some((one) => one.problems.length > 0)
  return adminPage({
    ...props,
    title: isWrong ? `Error: ${action.question}` : action.question,
    children: (
      <>
        <PageHead title={action.question} up={back} />
        <section
          class={action.tone === 'danger' ? 'panel panel-danger' : 'panel'}
          aria-label={action.label}
        >
          <p class="asked-about">
            <Name text={props.name} fallback="Unnamed" />
          </p>
          {props.isOffered ? <Question {...props} isWrong={isWrong} /> : <NotPossible {...props} />}
        </section>
      </>
    ),
  })
}

/** For a link that is older than the state of the object, and for a second click. */
function NotPossible({ action, back, problems }: AskPageProps) {
  return (
    <>
      <p>{`“${action.label}” is not possible as things are now. Nothing was done.`}</p>
      {problems.whole.map((problem) => (
        <p>{problem}</p>
      ))}
      <div class="actions">
        <ButtonLink look="plain" href={back.url}>
          Back
        </ButtonLink>
      </div>
    </>
  )
}

function Question(props: AskPageProps & { readonly isWrong: boolean }) {
  const { action, back, isWrong } = props
  return (
    <>
      <p>{props.consequence}</p>
      <Form
        class="wide-form"
        action={props.path}
        formToken={props.viewer?.formToken ?? ''}
        hidden={props.hidden}
      >
        <DefaultButton fields={props.fields} />
        {isWrong && <ProblemSummary {...props} heading="Nothing was done yet" />}
        {props.fields.map((shown) => (
          <FormField shown={shown} timeZone={props.timeZone} />
        ))}
        {action.confirmsName && (
          <ConfirmName name={props.name} isWrong={props.isWrongName === true} />
        )}
        <div class="actions">
          <Button look={action.tone === 'danger' ? 'danger' : 'primary'}>{action.label}</Button>
          <ButtonLink look="plain" href={back.url}>
            Cancel
          </ButtonLink>
        </div>
      </Form>
    </>
  )
}
