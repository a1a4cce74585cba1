import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

/** Answers 404, to an operator whose school has the beta feature off. */
export function applicationsOffPage(frame: AdminFrame): string {
  return adminPage({
    ...frame,
    title: 'OAuth applications are not shown',
    children: (
      <>
        <PageHead title="OAuth applications are not shown" />
        <section class="panel">
          <p>
            They are part of the beta feature “MCP connections”, which is off at your school.
            Existing applications continue to work: you see and stop them under{' '}
            <a href={paths.clients}>Connected apps</a>.
          </p>
          <div class="actions">
            <ButtonLink look="primary" href={paths.settings}>
              Switch it on in Settings
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}
