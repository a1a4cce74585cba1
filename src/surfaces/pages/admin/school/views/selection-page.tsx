import { Alert, Button, FormToken, Name } from '../../../../../foundation/html/components.tsx'
import { ButtonLink, Empty, PageHead } from '../../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage } from '../../../views/admin/admin-page.tsx'
import { type Action, type AdminResource, type Link, objectPath } from '../resource.ts'
import type { Row } from '../row.ts'

/** A selected row that the action could not be done with. */
export interface FailedRow {
  readonly id: string
  readonly name: string
  readonly why: string
}

interface SelectionPageProps extends AdminFrame {
  readonly resource: AdminResource
  readonly action: Action | undefined
  readonly objects: readonly Row[]
  readonly path: string
  readonly back: Link
  /** After the action: with which rows it failed, of which rows. */
  readonly failed?: readonly FailedRow[]
  readonly ids?: readonly string[]
}

/** The field with the version of a row, so that a row is left alone if it changed after the page asked. */
export const versionName = (id: string): string => `if_version-${id}`

/** Asks before an action on several rows, and tells afterwards with which rows it failed. */
export function selectionPage(props: SelectionPageProps): string {
  const { resource, action, objects, back, failed } = props
  const number = failed === undefined ? objects.length : (props.ids ?? []).length
  const what = number === 1 ? resource.one : resource.many.toLowerCase()
  const title = `${action?.label ?? 'Change'}: ${number} ${what}`
  return adminPage({
    ...props,
    here: resource.menu ?? back.url,
    title: failed === undefined ? title : `Error: ${title}`,
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

function Ask({ resource, action, objects, path, back, viewer }: SelectionPageProps) {
  if (action === undefined) return null
  return (
    <>
      <p>{consequenceOf(action)}</p>
      <ul>
        {objects.map((object) => (
          <li>
            <Name text={resource.name(object)} fallback="Unnamed" />
            {action.when?.(object) === false && ' (not possible as it is now)'}
          </li>
        ))}
      </ul>
      <form method="post" action={path} class="actions">
        <FormToken value={viewer?.formToken ?? ''} />
        <input type="hidden" name="action" value={action.path} />
        {objects.map(({ id, version }) => (
          <>
            <input type="hidden" name="id" value={String(id)} />
            {typeof version === 'number' && (
              <input type="hidden" name={versionName(String(id))} value={String(version)} />
            )}
          </>
        ))}
        <Button look={action.tone === 'danger' ? 'danger' : 'primary'}>{action.label}</Button>
        <ButtonLink look="plain" href={back.url}>
          Cancel
        </ButtonLink>
      </form>
    </>
  )
}

/** What is said of one object alone may depend on it. */
function consequenceOf({ consequence, does }: Action): string {
  if (typeof consequence === 'string') return consequence
  return 'operation' in does ? does.operation.summary : does.summary
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
