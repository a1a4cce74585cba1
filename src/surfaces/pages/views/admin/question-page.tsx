import type { ComponentChildren, ComponentProps } from 'preact'
import { Button, Form } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { ConfirmName } from '../confirm-name.tsx'
import { type AdminFrame, adminPage } from './admin-page.tsx'

interface QuestionForm {
  path: string
  hidden?: Readonly<Record<string, string>>
  /** Asked for besides the name. */
  fields?: ComponentChildren
  /** The name that has to be typed. */
  typed?: ComponentProps<typeof ConfirmName> | undefined
  button: string
}

interface QuestionPageProps extends AdminFrame {
  title: string
  /** The heading, if it says more than the title. */
  question?: ComponentChildren
  back: { url: string; label: string }
  tone?: 'danger' | undefined
  /** What the act is about and what follows from it. */
  consequence: ComponentChildren
  /** Absent if the act is not possible: then the page has only a way back. */
  form?: QuestionForm | undefined
  isWrong?: boolean
}

/** Asks before an act that is not easily undone. */
export function questionPage(props: QuestionPageProps): string {
  const { title, back, tone, form } = props
  const isWrong = props.isWrong === true || form?.typed?.isWrong === true
  return adminPage({
    ...props,
    title: isWrong ? `Error: ${title}` : title,
    children: (
      <>
        <PageHead title={props.question ?? title} up={back} />
        <section class={tone === 'danger' ? 'panel panel-danger' : 'panel'} aria-label={title}>
          {props.consequence}
          {form === undefined ? (
            <div class="actions">
              <ButtonLink look="plain" href={back.url}>
                Back
              </ButtonLink>
            </div>
          ) : (
            <Form
              class="wide-form"
              action={form.path}
              formToken={props.viewer?.formToken ?? ''}
              hidden={form.hidden ?? {}}
            >
              {form.fields}
              {form.typed && <ConfirmName {...form.typed} />}
              <div class="actions">
                <Button look={tone ?? 'primary'}>{form.button}</Button>
                <ButtonLink look="plain" href={back.url}>
                  Cancel
                </ButtonLink>
              </div>
            </Form>
          )}
        </section>
      </>
    ),
  })
}
