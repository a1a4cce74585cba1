-- An application that was made for an assistant remembers which one, so that members are shown the steps that fit.
alter table clients add column assistant text;
comment on column clients.assistant is 'the assistant whose template made this application; its members find the steps on the page about assistants';
