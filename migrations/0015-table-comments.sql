-- Comments that name their subject.

comment on table consulting_services is 'consulting: time that a lecturer offers for meetings';
comment on table form_submissions is 'content: the answers that a person sent to a form';
