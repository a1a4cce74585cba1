import type { ComponentChildren } from 'preact'
import { Alert, Button, Form } from '../../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { BothVersions, type FieldVersions } from '../../../views/admin/both-versions.tsx'
import type { Draft } from '../form/draft.ts'
import type { FormProblems } from '../form/problems.ts'
import type { Link } from '../resource.ts'
import { DefaultButton, FormField, type ShownField } from './field.tsx'

export interface FormPageProps extends AdminFrame {
  readonly title: string
  readonly lead?: string | undefined
  readonly up?: Link | undefined
  readonly action: string
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  readonly submit: string
  readonly back?: Link | undefined
  /** What is saved now, if it was changed after the form was opened. */
  readonly stored?: Draft | undefined
  /** Adds a button for a preview. */
  readonly preview?: boolean
  /** A file of `assets/`; send the page with `sendScriptedPage`. */
  readonly script?: string | undefined
  /** The end of the page. */
  readonly panels?: ComponentChildren
}

/** A form that creates or changes an object. */
export function formPage(props: FormPageProps): string {
  const { title, problems } = props
  const isWrong = problems.whole.length > 0 || props.fields.some((one) => one.problems.length > 0)
  return adminPage({
    ...props,
    title: isWrong ? `Error: ${title}` : title,
    children: (
      <>
        <PageHead title={title} lead={props.lead} up={props.up} />
        <section class="panel" aria-label={title}>
          <Form
            class="wide-form"
            action={props.action}
            formToken={props.viewer?.formToken ?? ''}
            hidden={props.hidden}
          >
            <DefaultButton fields={props.fields} />
            {isWrong && <ProblemSummary {...props} />}
            {props.stored !== undefined && (
              <BothVersions fields={versionsIn(props, props.stored)} />
            )}
            {props.fields.map((shown) => (
              <FormField shown={shown} timeZone={props.timeZone} currency={props.currency} />
            ))}
            <div class="actions">
              <Button look="primary">{props.submit}</Button>
              {props.preview === true && (
                <Button look="plain" name="preview" value="yes">
                  Preview
                </Button>
              )}
              {props.back !== undefined && (
                <ButtonLink look="plain" href={props.back.url}>
                  {props.back.label}
                </ButtonLink>
              )}
            </div>
          </Form>
        </section>
        {props.panels}
      </>
    ),
  })
}

/** The fields in which the form and what is saved now differ. */
function versionsIn({ fields }: FormPageProps, stored: Draft): readonly FieldVersions[] {
  return fields
    .map((shown) => ({
      label: shown.field.label,
      saved: textOf(shown, stored[shown.field.name] ?? []),
      typed: textOf(shown, shown.typed),
    }))
    .filter(({ saved, typed }) => saved !== typed)
}

function textOf({ field, choices }: ShownField, values: readonly string[]): string {
  if (field.kind === 'check') return values.includes('on') ? 'Yes' : 'No'
  const named = values.map((value) => choices.find(([one]) => one === value)?.[1] ?? value)
  return named.join(', ').replaceAll('\r\n', '\n').trim()
}

/** All problems in one place, each with a link to its field. */
export function ProblemSummary({
  fields,
  problems,
  heading = 'Nothing was saved yet',
}: {
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  readonly heading?: string
}) {
  return (
    <Alert tone="error" title={heading}>
      {problems.whole.map((problem) => (
        <p>{problem}</p>
      ))}
      {fields.some((one) => one.problems.length > 0) && (
        <ul class="problem-list">
          {fields
            .filter((one) => one.problems.length > 0)
            .map(({ field, problems: [first] }) => (
              <li>
                <a href={`#${field.name}`}>{field.label}</a>: {first}
              </li>
            ))}
        </ul>
      )}
    </Alert>
  )
}
