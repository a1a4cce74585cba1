import type { ComponentChildren, ComponentProps } from 'preact'
import { Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { ConfirmName } from '../../frame/confirm-name.tsx'
import { type SiteFrame, sitePage } from '../../frame/layout.tsx'
import { adminPaths } from '../../frame/paths.ts'
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

interface AdminOnlyProps extends SiteFrame {
  roles: readonly string[]
}

/** Answers 403, to a person who is signed in without the owner or admin role. */
export function adminOnlyPage(props: AdminOnlyProps): string {
  const school = <Name text={props.school.name} fallback="this school" />
  return sitePage({
    ...props,
    title: 'For owners and admins',
    children: (
      <>
        <PageHead title="This area is for owners and admins" />
        <section class="panel">
          <p>
            {props.roles.length === 0 ? (
              <>Your account has no role at {school}.</>
            ) : (
              <>
                Your role at {school} is {props.roles.join(' and ')}.
              </>
            )}{' '}
            An owner of the school can make you an admin. If you are one with another email address,
            sign out and sign in with that one.
          </p>
          <div class="actions">
            <ButtonLink look="plain" href="/account">
              Your account
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}

/** Answers 404, to an operator whose school has the beta feature off. */
export function developersOffPage(frame: AdminFrame): string {
  return adminPage({
    ...frame,
    title: 'The Developers area is off',
    children: (
      <>
        <PageHead title="The Developers area is off" />
        <section class="panel">
          <p>
            OAuth applications, assistants for members and operator tools are part of the beta
            feature “MCP connections”, which is off at your school. As an owner or admin you can
            switch it on. Those that exist continue to work: you see and stop them under{' '}
            <a href={adminPaths.clients}>Apps and assistants</a>.
          </p>
          <div class="actions">
            <ButtonLink look="primary" href={adminPaths.settings}>
              Switch it on in Settings
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}
