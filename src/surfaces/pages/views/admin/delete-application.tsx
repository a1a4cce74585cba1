import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { ConfirmName } from '../confirm-name.tsx'
import { countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, applicationPath } from './admin-page.tsx'

interface DeleteApplicationProps extends AdminFrame {
  application: ListedClient
  /** With a live authorization. */
  people: number
  /** Whether another name was typed. */
  isWrongName?: boolean
  /** A tool has another page than an application. */
  kind?: 'application' | 'tool'
  back?: string
}

export function deleteApplicationPage(props: DeleteApplicationProps): string {
  const { application, people, kind = 'application' } = props
  const { clientId, name } = application
  const back = props.back ?? applicationPath(clientId)
  return adminPage({
    ...props,
    here: back,
    title: `Delete ${kind}`,
    children: (
      <>
        <PageHead
          title={
            <>
              Delete <Name text={name} fallback={clientId} />?
            </>
          }
          up={{ url: back, label: `Back to the ${kind}` }}
        />
        <section class="panel panel-danger">
          <p>
            {people === 0
              ? 'No person has given it access at the moment.'
              : `${countUpTo(people, 'person has', 'people have')} given it access. Their access ends at once.`}
          </p>
          <p>
            <Address text={clientId} /> stops working. The same id cannot be used again.
          </p>
          <Form action={`${back}/delete`} formToken={props.viewer?.formToken ?? ''}>
            {people > 0 && (
              <ConfirmName name={name || clientId} isWrong={props.isWrongName === true} />
            )}
            <div class="actions">
              <Button look="danger">Delete</Button>
              <ButtonLink look="plain" href={back}>
                Cancel
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}
