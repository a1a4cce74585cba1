import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths } from './admin-page.tsx'

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
            <a href={paths.clients}>Apps and assistants</a>.
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
