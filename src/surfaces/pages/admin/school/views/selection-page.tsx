import { Alert, Name } from '../../../../../foundation/html/components.tsx'
import { Empty } from '../../../../../foundation/html/site-components.tsx'
import type { AdminFrame } from '../../../views/admin/admin-page.tsx'
import { questionPage } from '../../../views/admin/question-page.tsx'
import type { FormProblems } from '../form/problems.ts'
import { type AdminResource, type Link, type ManyAction, objectPath } from '../resource.ts'
import type { Row } from '../row.ts'
import { ActionFields } from './ask-page.tsx'
import type { ShownField } from './field.tsx'

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
  const common = {
    ...props,
    here: resource.menu ?? back.url,
    title: `${action?.label ?? 'Change'}: ${number} ${what}`,
    tone: action?.tone,
  }
  if (failed !== undefined) {
    const consequence = <Failed {...props} failed={failed} total={number} />
    return questionPage({ ...common, consequence, isWrong: true })
  }
  if (action === undefined || objects.length === 0) {
    return questionPage({ ...common, consequence: <NoneSelected /> })
  }
  const isWrong = props.isWrongNumber || Object.keys(props.problems.fields).length > 0
  return questionPage({
    ...common,
    isWrong,
    consequence: <Selected {...props} action={action} />,
    form: {
      path: props.path,
      hidden: { action: action.path },
      fields: (
        <>
          <ActionFields {...props} isWrong={isWrong} />
          {objects.map(({ id, version }) => (
            <>
              <input type="hidden" name="id" value={String(id)} />
              {typeof version === 'number' && (
                <input type="hidden" name={versionName(String(id))} value={String(version)} />
              )}
            </>
          ))}
        </>
      ),
      typed: asksForNumber(action, objects.length)
        ? { name: String(objects.length), kind: 'number', isWrong: props.isWrongNumber }
        : undefined,
      button: action.label,
    },
  })
}

function NoneSelected() {
  return (
    <Empty>
      <p>Nothing is selected. Go back and tick the rows that you mean.</p>
    </Empty>
  )
}

function Selected({ resource, action, objects }: SelectionPageProps & { action: ManyAction }) {
  const { consequence, consequenceOfOne = consequence } = action
  return (
    <>
      <p>{objects.length === 1 ? consequenceOfOne : consequence}</p>
      <ul>
        {objects.map((object) => (
          <li>
            <Name text={resource.name(object)} fallback="Unnamed" />
            {action.when?.(object) === false && ' (not possible as it is now)'}
          </li>
        ))}
      </ul>
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
