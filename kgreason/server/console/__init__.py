"""The console: pages in the browser over the paths of the server, made with NiceGUI.

    sign_in      the page that takes a token; it works without JavaScript
    shell        NiceGUI beside the paths of the server, and the headers of its pages
    calls        requests of a page to the paths of the server, inside the process
    literals     the parts of a literal
    vocabulary   prefixes, classes, properties and labels of the graph, for short names and completion
    markup       terms, triples, proofs and tables as HTML; all text is escaped here
    frame        what every page has: navigation, notices, style, and what the browser keeps (theme.js, memory.js)
    controls/    what pages share: the editor, tables, the field for a term, the field for files
    pages/       one module for each page

    page -> calls -> guard -> path of the server -> engine or query process

Laws: a page can do only what its user may do by requests to the paths, because the page sends such requests with the
cookie of the user. Text of the graph reaches a browser as text, never as markup. All assets come from the installed
packages.
"""
