import { Button, Form } from '../../../../foundation/html/components.tsx'
import { Checkbox } from '../../../../foundation/html/form-fields.tsx'
import { PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'
import { ApplicationFields, type ApplicationFieldsProps } from './application-fields.tsx'

type NewApplicationProps = AdminFrame & ApplicationFieldsProps

export function newApplicationPage(props: NewApplicationProps): string {
  return adminPage({
    ...props,
    title: props.problems.length > 0 ? 'Error: New application' : 'New application',
    children: (
      <>
        <PageHead
          title="New application"
          lead="For one app. Every member of your school can connect it to their own account."
          up={{ url: paths.applications, label: 'OAuth applications' }}
        />
        <section class="panel">
          <Form action={paths.applications} formToken={props.viewer?.formToken ?? ''}>
            <ApplicationFields {...props} />
            <Checkbox
              id="confidential"
              name="confidential"
              value="yes"
              label="Confidential application"
              hint="For an app that runs on a server and can keep a secret. It gets a secret and must send it. Leave this off for apps on phones, computers and in browsers. You cannot change it later."
              checked={props.draft.confidential}
            />
            <Button look="primary">Create application</Button>
          </Form>
        </section>
      </>
    ),
  })
}
