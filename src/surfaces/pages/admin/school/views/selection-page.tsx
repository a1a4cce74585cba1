import { Alert, Button, Form, Name } from '../../../../../foundation/html/components.tsx'
import { ButtonLink, Empty, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { ConfirmName } from '../../../views/confirm-name.tsx'
import type { FormProblems } from '../form/problems.ts'
import { type AdminResource, type Link, type ManyAction, objectPath } from '../resource.ts'
import type { Row } from '../row.ts'
import { DefaultButton, FormField, type ShownField } from './field.tsx'
import { ProblemSummary } from './form-page.tsx'

/** A selected row that the action could not be done with. */
export interface FailedRow {
  readonly id: string
  readonly name: string
  readonly why: string
}

interface SelectionPageProps extends AdminFrame {
  readonly resource: AdminResource
  readonly action: ManyAction | undefined
  readonly objects: readonly Row[]
  /** What the action asks for once, for all rows. */
  readonly fields: readonly ShownField[]
  readonly problems: FormProblems
  /** Whether another number was typed than that of the rows. */
  readonly isWrongNumber: boolean
  readonly path: string
  readonly back: Link
  /** After the action: with which rows it failed, of which rows. */
  readonly failed?: readonly FailedRow[]
  readonly ids?: readonly string[]
}

/** The field with the version of a row, so that a row is left alone if it changed after the page asked. */
export const versionName = (id: string): string => `if_version-${id}`

/** Whether the page asks to type how many rows are deleted. */
export function asksForNumber(action: ManyAction, rows: number): boolean {
  return action.does.operation.kind === 'remove' && rows > 1
}

/** Asks before an action on several rows, and tells afterwards with which rows it failed. */
export function selectionPage(props: SelectionPageProps): string {
  const { resource, action, objects, back, failed } = props
  const number = failed === undefined ? objects.length : (props.ids ?? []).length
  const what = number === 1 ? resource.one : resource.many.toLowerCase()
  const title = `${action?.label ?? 'Change'}: ${number} ${what}`
  return adminPage({
    ...props,
    here: resource.menu ?? back.url,
    title: failed === undefined && !isWrong(props) ? title : `Error: ${title}`,
    children: (
      <>
        <PageHead title={title} up={back} />
        <section
          class={action?.tone === 'danger' ? 'panel panel-danger' : 'panel'}
          aria-label={title}
        >
          {failed !== undefined && <Failed {...props} failed={failed} total={number} />}
          {failed === undefined && (objects.length === 0 ? <NoneSelected /> : <Ask {...props} />)}
          {(failed !== undefined || objects.length === 0) && (
            <div class="actions">
              <ButtonLink look="plain" href={back.url}>
                Back
              </ButtonLink>
            </div>
          )}
        </section>
      </>
    ),
  })
}

function NoneSelected() {
  return (
    <Empty>
      <p>Nothing is selected. Go back and tick the rows that you mean.</p>
    </Empty>
  )
}

function isWrong({ problems, isWrongNumber }: SelectionPageProps): boolean {
  return isWrongNumber || Object.keys(problems.fields).length > 0
}

function Ask(props: SelectionPageProps) {
  const { resource, action, objects, path, back, viewer, timeZone } = props
  if (action === undefined) return null
  return (
    <>
      <p>{action.consequence}</p>
      <ul>
        {objects.map((object) => (
          <li>
            <Name text={resource.name(object)} fallback="Unnamed" />
            {action.when?.(object) === false && ' (not possible as it is now)'}
          </li>
        ))}
      </ul>
      <Form
        class="wide-form"
        action={path}
        formToken={viewer?.formToken ?? ''}
        hidden={{ action: action.path }}
      >
        <DefaultButton fields={props.fields} />
        {isWrong(props) && <ProblemSummary {...props} heading="Nothing was done yet" />}
        {objects.map(({ id, version }) => (
          <>
            <input type="hidden" name="id" value={String(id)} />
            {typeof version === 'number' && (
              <input type="hidden" name={versionName(String(id))} value={String(version)} />
            )}
          </>
        ))}
        {props.fields.map((shown) => (
          <FormField shown={shown} timeZone={timeZone} />
        ))}
        {asksForNumber(action, objects.length) && (
          <ConfirmName name={String(objects.length)} kind="number" isWrong={props.isWrongNumber} />
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

function Failed(props: SelectionPageProps & { failed: readonly FailedRow[]; total: number }) {
  const { resource, failed, total } = props
  return (
    <Alert
      tone="error"
      title={`${total - failed.length} of ${total} done; ${failed.length} could not be done`}
    >
      <ul class="problem-list">
        {failed.map(({ id, name, why }) => (
          <li>
            <a href={objectPath(resource, { id })}>
              <Name text={name} fallback="Unnamed" />
            </a>
            : {why}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
