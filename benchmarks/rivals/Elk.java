// ELK from a file to the direct superclasses of all classes: `java -cp 'LIB/*' Elk.java ONTOLOGY OUT`.
// A whole process, as a user would write it with the OWL API.

import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.PrintWriter;
import org.semanticweb.elk.owlapi.ElkReasonerFactory;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.model.OWLClass;
import org.semanticweb.owlapi.model.OWLOntology;
import org.semanticweb.owlapi.reasoner.InferenceType;
import org.semanticweb.owlapi.reasoner.OWLReasoner;

public class Elk {
    public static void main(String[] arguments) throws Exception {
        OWLOntology ontology =
            OWLManager.createOWLOntologyManager().loadOntologyFromOntologyDocument(new File(arguments[0]));
        OWLReasoner reasoner = new ElkReasonerFactory().createReasoner(ontology);
        reasoner.precomputeInferences(InferenceType.CLASS_HIERARCHY);
        try (PrintWriter out = new PrintWriter(new BufferedWriter(new FileWriter(arguments[1])))) {
            for (OWLClass name : (Iterable<OWLClass>) ontology.classesInSignature()::iterator)
                for (OWLClass above : (Iterable<OWLClass>) reasoner.getSuperClasses(name, true).entities()::iterator)
                    out.println(name.getIRI() + " " + above.getIRI());
        }
        System.exit(0);
    }
}
