import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { count } from '../words.ts'
import { type AdminFrame, adminPage, applicationPath } from './admin-page.tsx'

interface DeleteApplicationProps extends AdminFrame {
  application: ListedClient
  /** With a live authorization. */
  people: number
}

export function deleteApplicationPage(props: DeleteApplicationProps): string {
  const { application, people } = props
  const { clientId, name } = application
  const back = applicationPath(clientId)
  return adminPage({
    ...props,
    here: back,
    title: 'Delete application',
    children: (
      <>
        <PageHead
          title={
            <>
              Delete <Name text={name} fallback={clientId} />?
            </>
          }
          up={{ url: back, label: 'Back to the application' }}
        />
        <section class="panel panel-danger">
          <p>
            {people === 0
              ? 'No person has given it access at the moment.'
              : `${count(people, 'person has', 'people have')} given it access. All of it ends at once, and they have to connect another app to go on.`}
          </p>
          <p>
            <Address text={clientId} /> stops working for good: the same id cannot be used again.
          </p>
          <Form
            class="actions"
            action={applicationPath(clientId, '/delete')}
            formToken={props.viewer?.formToken ?? ''}
          >
            <Button look="danger">Delete for good</Button>
            <ButtonLink look="plain" href={back}>
              Keep it
            </ButtonLink>
          </Form>
        </section>
      </>
    ),
  })
}
